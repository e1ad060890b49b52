# A minimal bot for Planning in Tcl (8.6 or newer).
#
# A command comes on each line of standard input. The reply is "=" (done) or "?" (refused), perhaps with a text, and
# then an EMPTY LINE. This bot declares its cards of the strongest value and plays the first card that it may.

set strongest ""                          ;# the value that no other beats
set players 0
set me 0
set hand {}                               ;# my cards, such as "TD": the value, then the suit
set trick {}                              ;# the cards on the table

proc last {word} { string index $word end }

proc choose {} {
    global hand trick
    foreach card $hand {
        if {[llength $trick] && [last $card] eq [last [lindex $trick 0]]} { return $card }
    }
    if {![llength $hand]} { error "no card" }
    lindex $hand 0
}

# What stands after "=" in the reply; an error refuses.
proc obey {command args} {
    global strongest players me hand trick
    switch -- $command {
        set_deck {
            lassign $args values suits
            if {[llength $args] != 2} { error "not two words" }
            set strongest [last $values]
        }
        set_players {
            if {![regexp {^\d+ \d+$} $args]} { error "not two numbers" }
            lassign $args players me
        }
        set_cards {
            if {![string equal [lindex $args 0] [expr {[llength $args] - 1}]]} { error "not so many cards" }
            set hand [lrange $args 1 end]
            set trick {}
        }
        gen_declare {
            set sure 0
            foreach card $hand { if {[string index $card 0] eq $strongest} { incr sure } }
            return $sure
        }
        gen_move { return [choose] }
        play {
            if {[llength $args] != 2} { error "not a seat and a card" }
            lassign $args seat card
            set place [lsearch -exact $hand $card]
            if {$seat eq $me && $place >= 0} { set hand [lreplace $hand $place $place] }
            lappend trick $card
            if {[llength $trick] >= $players} { set trick {} }
        }
        set_game - time_left - declare - quit {}
        default { error "unknown" }
    }
    return ""
}

fconfigure stdin -encoding iso8859-1
fconfigure stdout -translation lf
while {[gets stdin line] >= 0} {
    set words [regexp -all -inline {\S+} $line]
    if {![llength $words]} continue       ;# a blank line has no reply
    if {[catch {obey {*}$words} text]} {
        puts "? cannot do that\n"
    } else {
        puts "[string trim "= $text"]\n"
    }
    flush stdout                          ;# without this the reply waits in a buffer
    if {[lindex $words 0] eq "quit"} break
}
