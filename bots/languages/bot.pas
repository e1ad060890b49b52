{ A minimal bot for Planning in Free Pascal (3.0 or newer).

  A command comes on each line of standard input. The reply is "=" (done) or "?" (refused), perhaps with a text, and
  then an EMPTY LINE. This bot declares its cards of the strongest value and plays the first card that it may. }
{$mode objfpc}{$H+}
program Bot;

uses
  SysUtils;

type
  TWords = array of string;

var
  Strongest: char = ' ';      { the value that no other beats }
  Players, Me: integer;
  Hand: TWords;               { my cards, such as "TD": the value, then the suit }
  Led: string;                { the first card of the trick ... }
  OnTable: integer = 0;       { ... while this many are on the table }

function Last(const Word: string): char;
begin
  Result := Word[Length(Word)];
end;

function Choice: string;
var
  Card: string;
begin
  for Card in Hand do
    if (OnTable > 0) and (Last(Card) = Last(Led)) then
      Exit(Card);
  Result := Hand[0];
end;

procedure Play(Seat: integer; const Card: string);
var
  I: integer;
begin
  if OnTable = 0 then Led := Card;
  Inc(OnTable);
  if OnTable >= Players then OnTable := 0;    { the trick is complete }
  if Seat = Me then
    for I := 0 to High(Hand) do
      if Hand[I] = Card then
      begin
        Delete(Hand, I, 1);
        Break;
      end;
end;

{ Obeys a command: Text is what stands after "=" in the reply; False refuses. }
function Obey(const Words: TWords; out Text: string): boolean;
var
  Count, N, I, Sure: integer;
  Card: string;
begin
  Text := '';
  Result := True;
  Count := Length(Words);
  case Words[0] of
    'set_deck':
      if Count = 3 then Strongest := Last(Words[1]) else Result := False;
    'set_players':
      if (Count = 3) and TryStrToInt(Words[1], N) and TryStrToInt(Words[2], I) then
      begin
        Players := N;
        Me := I;
      end
      else Result := False;
    'set_cards':
      if (Count > 1) and TryStrToInt(Words[1], N) and (N = Count - 2) then
      begin
        Hand := Copy(Words, 2, N);
        OnTable := 0;
      end
      else Result := False;
    'gen_declare':
      begin
        Sure := 0;
        for Card in Hand do
          if Card[1] = Strongest then Inc(Sure);
        Text := IntToStr(Sure);
      end;
    'gen_move':
      if Length(Hand) > 0 then Text := Choice else Result := False;
    'play':
      if (Count = 3) and TryStrToInt(Words[1], I) then Play(I, Words[2]) else Result := False;
    'set_game', 'time_left', 'declare', 'quit': ;
  else
    Result := False;
  end;
end;

var
  Line, Text: string;
  Words: TWords;
begin
  repeat
    ReadLn(Line);
    Words := TWords(Line.Split([' ', #9, #13], TStringSplitOptions.ExcludeEmpty));
    if Length(Words) = 0 then Continue;    { a blank line has no reply }
    if not Obey(Words, Text) then Write('? cannot do that', #10#10)
    else if Text = '' then Write('=', #10#10)
    else Write('= ', Text, #10#10);
    Flush(Output);                         { without this the reply waits in a buffer }
    if Words[0] = 'quit' then Break;
  until EOF;
end.
