# A minimal bot for Planning in Elixir (1.12 or newer).
#
# A command comes on each line of standard input. The reply is "=" (done) or "?" (refused), perhaps with a text, and
# then an EMPTY LINE. This bot declares its cards of the strongest value and plays the first card that it may.

defmodule Bot do
  # strongest: the value that no other beats; hand: my cards, such as "TD"; trick: the cards on the table
  defstruct strongest: nil, players: 0, me: 0, hand: [], trick: []

  def run(bot \\ %__MODULE__{}) do
    case IO.read(:stdio, :line) do
      line when is_binary(line) -> answer(bot, String.split(line))
      _end -> :ok
    end
  end

  # A blank line has no reply.
  defp answer(bot, []), do: run(bot)

  defp answer(bot, [command | _] = words) do
    {bot, reply} =
      case obey(words, bot) do
        {bot, ""} -> {bot, "="}
        {bot, text} -> {bot, "= #{text}"}
        :refused -> {bot, "? cannot do that"}
      end

    IO.write(reply <> "\n\n")
    if command != "quit", do: run(bot)
  end

  # The bot afterwards, and what stands after "=" in the reply.
  defp obey(["set_deck", values, _suits], bot), do: {%{bot | strongest: String.last(values)}, ""}

  defp obey(["set_players", n, i], bot) do
    with {players, ""} <- Integer.parse(n), {me, ""} <- Integer.parse(i) do
      {%{bot | players: players, me: me}, ""}
    else
      _ -> :refused
    end
  end

  defp obey(["set_cards", count | cards], bot) do
    if Integer.parse(count) == {length(cards), ""}, do: {%{bot | hand: cards, trick: []}, ""}, else: :refused
  end

  defp obey(["gen_declare"], bot), do: {bot, to_string(Enum.count(bot.hand, &(String.first(&1) == bot.strongest)))}

  defp obey(["gen_move"], %{hand: [first | _]} = bot) do
    {bot, Enum.find(bot.hand, first, &(bot.trick != [] and String.last(&1) == String.last(hd(bot.trick))))}
  end

  defp obey(["play", seat, card], bot) do
    hand = if seat == to_string(bot.me), do: List.delete(bot.hand, card), else: bot.hand
    trick = bot.trick ++ [card]
    {%{bot | hand: hand, trick: if(length(trick) >= bot.players, do: [], else: trick)}, ""}
  end

  defp obey([command | _], bot) when command in ~w(set_game time_left declare quit), do: {bot, ""}
  defp obey(_words, _bot), do: :refused
end

# A byte that is no UTF-8 would end the bot.
:io.setopts(:standard_io, encoding: :latin1)
Bot.run()
