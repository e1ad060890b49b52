-- A minimal bot for Planning in Haskell.
--
-- A command comes on each line of standard input. The reply is "=" (done) or "?" (refused), perhaps with a text, and
-- then an EMPTY LINE. This bot declares its cards of the strongest value and plays the first card that it may.
module Main (main) where

import Data.List (delete, find)
import Data.Maybe (fromMaybe)
import System.IO
import Text.Read (readMaybe)

data Bot = Bot
  { strongest :: Char -- the value that no other beats
  , players, me :: Int
  , hand :: [String] -- my cards, such as "TD": the value, then the suit
  , trick :: [String] -- the cards on the table
  }

-- The bot afterwards, and what stands after "=" in the reply; Nothing refuses.
obey :: [String] -> Bot -> Maybe (Bot, String)
obey ["set_deck", values, _] bot = Just (bot {strongest = last values}, "")
obey ["set_players", n, i] bot = do
  count <- readMaybe n
  seat <- readMaybe i
  Just (bot {players = count, me = seat}, "")
obey ("set_cards" : count : cards) bot
  | readMaybe count == Just (length cards) = Just (bot {hand = cards, trick = []}, "")
obey ["gen_declare"] bot = Just (bot, show (length (filter ((== strongest bot) . head) (hand bot))))
obey ["gen_move"] bot@Bot {hand = first : _} = Just (bot, fromMaybe first (find follows (hand bot)))
  where
    follows card = any ((== last card) . last) (take 1 (trick bot))
obey ["play", seat, card] bot = Just (bot {hand = left, trick = table}, "")
  where
    left = if readMaybe seat == Just (me bot) then delete card (hand bot) else hand bot
    table = if length (trick bot) + 1 >= players bot then [] else trick bot ++ [card]
obey (command : _) bot
  | command `elem` ["set_game", "time_left", "declare", "quit"] = Just (bot, "")
obey _ _ = Nothing

run :: Bot -> IO ()
run bot = do
  over <- isEOF
  if over then return () else getLine >>= answer bot . words

answer :: Bot -> [String] -> IO ()
answer bot [] = run bot -- a blank line has no reply
answer bot line = do
  let (after, reply) = case obey line bot of
        Nothing -> (bot, "? cannot do that")
        Just (changed, "") -> (changed, "=")
        Just (changed, text) -> (changed, "= " ++ text)
  putStr (reply ++ "\n\n")
  hFlush stdout -- without this the reply waits in a buffer
  if head line == "quit" then return () else run after

main :: IO ()
main = do
  hSetEncoding stdin latin1 -- a byte that is no UTF-8 would end the bot
  run (Bot ' ' 0 0 [] [])
