// A minimal bot for Planning in Scala (2.11 to 3).
//
// A command comes on each line of standard input. The reply is "=" (done) or "?" (refused), perhaps with a text, and
// then an EMPTY LINE. This bot declares its cards of the strongest value and plays the first card that it may.

import java.io.{BufferedReader, InputStreamReader}

import scala.util.Try

object Bot {
  private var strongest = ' '                 // the value that no other beats
  private var players, me = 0
  private var hand = List.empty[String]       // my cards, such as "TD": the value, then the suit
  private var trick = List.empty[String]      // the cards on the table

  /** What stands after "=" in the reply; None refuses. */
  private def obey(words: List[String]): Option[String] = words match {
    case List("set_deck", values, _) =>
      strongest = values.last
      Some("")
    case List("set_players", n, i) =>
      for (count <- Try(n.toInt).toOption; seat <- Try(i.toInt).toOption) yield {
        players = count
        me = seat
        ""
      }
    case "set_cards" :: count :: cards if count == cards.size.toString =>
      hand = cards
      trick = Nil
      Some("")
    case List("gen_declare") => Some(hand.count(_.head == strongest).toString)
    case List("gen_move") =>
      hand.find(card => trick.headOption.exists(_.last == card.last)).orElse(hand.headOption)
    case List("play", seat, card) =>
      if (seat == me.toString) hand = hand.diff(List(card))
      trick = trick :+ card
      if (trick.size >= players) trick = Nil
      Some("")
    case ("set_game" | "time_left" | "declare" | "quit") :: _ => Some("")
    case _ => None
  }

  def main(arguments: Array[String]): Unit = {
    val in = new BufferedReader(new InputStreamReader(System.in, "ISO-8859-1"))
    for (line <- Iterator.continually(in.readLine()).takeWhile(_ != null)) {
      val words = line.split("\\s+").filter(_.nonEmpty).toList
      if (words.nonEmpty) {                   // a blank line has no reply
        print(obey(words).fold("? cannot do that")(text => s"= $text".trim) + "\n\n")
        Console.flush()                       // without this the reply may wait in a buffer
        if (words.head == "quit") sys.exit()
      }
    }
  }
}
