(* A minimal bot for Planning in OCaml (4.13 or newer).

   A command comes on each line of standard input. The reply is "=" (done) or "?" (refused), perhaps with a text, and
   then an EMPTY LINE. This bot declares its cards of the strongest value and plays the first card that it may. *)

let strongest = ref ' ' (* the value that no other beats *)
let players = ref 0
let me = ref 0
let hand = ref [] (* my cards, such as "TD": the value, then the suit *)
let trick = ref [] (* the cards on the table, the first last *)

let last word = word.[String.length word - 1]

let rec without card = function
  | [] -> []
  | mine :: others -> if mine = card then others else mine :: without card others

(* What stands after "=" in the reply; a Failure refuses. *)
let obey = function
  | [ "set_deck"; values; _ ] -> strongest := last values; ""
  | [ "set_players"; n; i ] ->
    let count = int_of_string n and seat = int_of_string i in
    players := count; me := seat; ""
  | "set_cards" :: count :: cards when int_of_string count = List.length cards ->
    hand := cards; trick := []; ""
  | [ "gen_declare" ] ->
    string_of_int (List.length (List.filter (fun card -> card.[0] = !strongest) !hand))
  | [ "gen_move" ] ->
    let follows card = !trick <> [] && last card = last (List.nth !trick (List.length !trick - 1)) in
    (try List.find follows !hand with Not_found -> List.hd !hand)
  | [ "play"; seat; card ] ->
    if int_of_string seat = !me then hand := without card !hand;
    trick := card :: !trick;
    if List.length !trick >= !players then trick := [];
    ""
  | ("set_game" | "time_left" | "declare" | "quit") :: _ -> ""
  | _ -> failwith "unknown"

let () =
  let over = ref false in
  while not !over do
    match input_line stdin with
    | exception End_of_file -> over := true
    | line ->
      let blanks = String.map (fun c -> if c = '\t' || c = '\r' then ' ' else c) line in
      (match List.filter (( <> ) "") (String.split_on_char ' ' blanks) with
       | [] -> () (* a blank line has no reply *)
       | words ->
         (match obey words with
          | "" -> print_string "=\n\n"
          | text -> Printf.printf "= %s\n\n" text
          | exception Failure _ -> print_string "? cannot do that\n\n");
         flush stdout; (* without this the reply waits in a buffer *)
         over := List.hd words = "quit")
  done
