# A minimal bot for Planning in R (4.0 or newer).
#
# A command comes on each line of standard input. The reply is "=" (done) or "?" (refused), perhaps with a text, and
# then an EMPTY LINE. This bot declares its cards of the strongest value and plays the first card that it may.

strongest <- ""        # the value that no other beats
players <- me <- 0
hand <- character()    # my cards, such as "TD": the value, then the suit
trick <- character()   # the cards on the table

last <- function(word) substring(word, nchar(word))
is_number <- function(words) all(grepl("^[0-9]+$", words))

# What stands after "=" in the reply; NULL refuses.
obey <- function(command, words) {
  count <- length(words)
  if (command == "set_deck" && count == 2) {
    strongest <<- last(words[1])
  } else if (command == "set_players" && count == 2 && is_number(words)) {
    players <<- as.integer(words[1])
    me <<- as.integer(words[2])
  } else if (command == "set_cards" && count >= 1 && words[1] == count - 1) {
    hand <<- words[-1]
    trick <<- character()
  } else if (command == "gen_declare") {
    return(sum(substring(hand, 1, 1) == strongest))
  } else if (command == "gen_move" && length(hand)) {
    follows <- hand[length(trick) > 0 & last(hand) == last(c(trick, "")[1])]
    return(c(follows, hand)[1])
  } else if (command == "play" && count == 2) {
    if (words[1] == me) hand <<- setdiff(hand, words[2])
    trick <<- c(trick, words[2])
    if (length(trick) >= players) trick <<- character()
  } else if (!command %in% c("set_game", "time_left", "declare", "quit")) {
    return(NULL)
  }
  ""
}

input <- file("stdin", "r", encoding = "latin1")  # not stdin(), which may be this program
while (length(line <- readLines(input, 1, warn = FALSE))) {
  words <- strsplit(trimws(line), "[ \t\r]+")[[1]]
  if (!length(words)) next  # a blank line has no reply
  text <- obey(words[1], words[-1])
  # cat is not buffered.
  cat(if (is.null(text)) "? cannot do that" else trimws(paste("=", text)), "\n\n", sep = "")
  if (words[1] == "quit") break
}
