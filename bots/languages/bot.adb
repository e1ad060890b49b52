-- A minimal bot for Planning in Ada 2012.
--
-- A command comes on each line of standard input. The reply is "=" (done) or "?" (refused), perhaps with a text, and
-- then an EMPTY LINE. This bot declares its cards of the strongest value and plays the first card that it may.

with Ada.Containers.Indefinite_Vectors;
with Ada.Strings.Fixed;
with Ada.Text_IO; use Ada.Text_IO;

procedure Bot is

   package Word_Vectors is new Ada.Containers.Indefinite_Vectors (Positive, String);
   use Word_Vectors;

   Refused : exception;

   Strongest   : Character := ' ';  --  the value that no other beats
   Players, Me : Natural := 0;
   Hand        : Vector;            --  my cards, such as "TD": the value, then the suit
   Trick       : Vector;            --  the cards on the table

   function Last (Word : String) return Character is (Word (Word'Last));

   function Words_Of (Line : String) return Vector is
      Result : Vector;
      First  : Positive := Line'First;
   begin
      for I in Line'First .. Line'Last + 1 loop
         if I > Line'Last or else Line (I) in ' ' | ASCII.HT | ASCII.CR then
            if I > First then
               Result.Append (Line (First .. I - 1));
            end if;
            First := I + 1;
         end if;
      end loop;
      return Result;
   end Words_Of;

   --  What stands after "=" in the reply; Refused or Constraint_Error refuses.
   function Obey (Words : Vector) return String is
      Command : constant String := Words (1);
      Count   : constant Natural := Natural (Words.Length);
   begin
      if Command = "set_deck" and Count = 3 then
         Strongest := Last (Words (2));
      elsif Command = "set_players" and Count = 3 then
         declare
            N : constant Natural := Natural'Value (Words (2));
            I : constant Natural := Natural'Value (Words (3));
         begin
            Players := N;
            Me := I;
         end;
      elsif Command = "set_cards" and then Natural'Value (Words (2)) = Count - 2 then
         Hand := Words;
         Hand.Delete_First (2);
         Trick.Clear;
      elsif Command = "gen_declare" then
         declare
            Sure : Natural := 0;
         begin
            for Card of Hand loop
               if Card (Card'First) = Strongest then
                  Sure := Sure + 1;
               end if;
            end loop;
            return Ada.Strings.Fixed.Trim (Sure'Image, Ada.Strings.Left);
         end;
      elsif Command = "gen_move" and not Hand.Is_Empty then
         for Card of Hand loop
            if not Trick.Is_Empty and then Last (Card) = Last (Trick (1)) then
               return Card;
            end if;
         end loop;
         return Hand (1);
      elsif Command = "play" and Count = 3 then
         if Natural'Value (Words (2)) = Me and then Hand.Contains (Words (3)) then
            Hand.Delete (Hand.Find_Index (Words (3)));
         end if;
         Trick.Append (Words (3));
         if Natural (Trick.Length) >= Players then
            Trick.Clear;  --  the trick is complete
         end if;
      elsif Command not in "set_game" | "time_left" | "declare" | "quit" then
         raise Refused;
      end if;
      return "";
   end Obey;

begin
   while not End_Of_File loop
      declare
         Words : constant Vector := Words_Of (Get_Line);
      begin
         if not Words.Is_Empty then  --  a blank line has no reply
            begin
               declare
                  Text : constant String := Obey (Words);
               begin
                  Put (if Text = "" then "=" else "= " & Text);
               end;
            exception
               when Refused | Constraint_Error =>
                  Put ("? cannot do that");
            end;
            New_Line (2);
            Flush;  --  without this the reply may wait in a buffer
            exit when Words (1) = "quit";
         end if;
      end;
   end loop;
end Bot;
