% A minimal bot for Planning in SWI-Prolog.
%
% A command comes on each line of standard input. The reply is "=" (done) or "?" (refused), perhaps with a text, and
% then an EMPTY LINE. This bot declares its cards of the strongest value and plays the first card that it may.

:- initialization(main, main).

:- dynamic strongest/1, players/1, me/1, hand/1, trick/1.

strongest(none).    % the value that no other beats
players(0).
me(0).
hand([]).           % my cards, such as "TD": the value, then the suit
trick([]).          % the cards on the table

main :-
    set_stream(user_input, encoding(octet)),    % a byte that is no UTF-8 would end the bot
    repeat,
    read_line_to_string(user_input, Line),
    (   Line == end_of_file
    ->  !
    ;   split_string(Line, " \t", " \t\r", Found),
        exclude(==(""), Found, [Command|Words]),    % a blank line has no reply
        (   obey(Command, Words, Text)
        ->  reply(Text)
        ;   write('? cannot do that\n\n')
        ),
        flush_output,    % without this the reply may wait in a buffer
        Command == "quit",
        !
    ).

reply("") :- !, write('=\n\n').
reply(Text) :- format("= ~w\n\n", [Text]).

% obey(+Command, +Words, -Text): Text is what stands after "=" in the reply. It fails to refuse.
obey("set_deck", [Values, _], "") :- last_char(Values, Value), set(strongest(Value)).
obey("set_players", [N, I], "") :-
    number_string(Players, N), number_string(Me, I), set(players(Players)), set(me(Me)).
obey("set_cards", [Count|Cards], "") :-
    number_string(N, Count), length(Cards, N), set(hand(Cards)), set(trick([])).
obey("gen_declare", [], Sure) :-
    hand(Hand), strongest(Value), include([Card]>>sub_string(Card, 0, 1, _, Value), Hand, Best), length(Best, Sure).
obey("gen_move", [], Choice) :- hand(Hand), trick(Trick), choose(Hand, Trick, Choice).
obey("play", [I, Card], "") :-
    number_string(Seat, I),
    hand(Hand), trick(Trick), players(Players),
    (   me(Seat), selectchk(Card, Hand, Left) -> set(hand(Left)) ; true ),
    append(Trick, [Card], Cards),
    length(Cards, Count),
    (   Count >= Players -> set(trick([])) ; set(trick(Cards)) ).
obey(Command, _, "") :- memberchk(Command, ["set_game", "time_left", "declare", "quit"]).

choose(Hand, [Led|_], Card) :- last_char(Led, Suit), member(Card, Hand), last_char(Card, Suit), !.
choose([Card|_], _, Card).

last_char(Word, Char) :- sub_string(Word, _, 1, 0, Char).

set(Fact) :- functor(Fact, Name, 1), functor(Old, Name, 1), retractall(Old), assertz(Fact).
