# A minimal bot for Planning in Bash (4 or newer).
#
# A command comes on each line of standard input. The reply is "=" (done) or "?" (refused), perhaps with a text, and
# then an EMPTY LINE. This bot declares its cards of the strongest value and plays the first card that it may.
#
# A bot may start no processes after its first reply. So there are only builtins here: no $(...), no pipes, no ( ), no sed.
# A function puts its result in `text` for the same reason.

IFS=$' \t\r\n'   # what separates words

strongest=       # the value that no other beats
players=0 me=0
hand=()          # my cards, such as "TD": the value, then the suit
trick=()         # the cards on the table

choose() {
    local card led=${trick[0]-}
    for card in "${hand[@]}"; do
        if [[ $led && ${card: -1} == "${led: -1}" ]]; then
            text=$card
            return
        fi
    done
    text=${hand[0]-}
    [[ $text ]]
}

play() {
    local seat=$1 played=$2 card left=()
    if [[ $seat == "$me" ]]; then
        for card in "${hand[@]}"; do
            [[ $card == "$played" ]] || left+=("$card")
        done
        hand=("${left[@]}")
    fi
    trick+=("$played")
    ((${#trick[@]} < players)) || trick=()
}

# Leaves what stands after "=" in `text`; fails to refuse. $# is the number of words, and of the command's name.
obey() {
    local card sure=0
    text=
    case $1/$# in
        set_deck/3) strongest=${2: -1} ;;
        set_players/3)
            # Look before you count: $((...)) would run what stands in a word such as a[...].
            [[ $2 =~ ^[0-9]{1,3}$ && $3 =~ ^[0-9]{1,3}$ ]] || return
            players=$2 me=$3
            ;;
        set_cards/*)
            [[ ${2-} == "$(($# - 2))" ]] || return
            hand=("${@:3}") trick=()
            ;;
        gen_declare/1)
            for card in "${hand[@]}"; do
                [[ $card != "$strongest"* ]] || sure=$((sure + 1))
            done
            text=$sure
            ;;
        gen_move/1) choose ;;
        play/3) play "$2" "$3" ;;
        set_game/* | time_left/* | declare/* | quit/*) ;;
        *) return 1 ;;
    esac
}

# `read` fails at the end of the input, where a last line may lack its end.
while read -r -a words || ((${#words[@]})); do
    ((${#words[@]})) || continue   # a blank line has no reply
    if obey "${words[@]}"; then
        printf '=%s\n\n' "${text:+ $text}"   # printf keeps nothing in a buffer
    else
        printf '? cannot do that\n\n'
    fi
    [[ ${words[0]} != quit ]] || break
done
