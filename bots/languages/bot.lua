-- A minimal bot for Planning in Lua (5.1 to 5.4).
--
-- A command comes on each line of standard input. The reply is "=" (done) or "?" (refused), perhaps with a text, and
-- then an EMPTY LINE. This bot declares its cards of the strongest value and plays the first card that it may.

local strongest = "" -- the value that no other beats
local players, me = 0, 0
local hand = {} -- my cards, such as "TD": the value, then the suit
local trick = {} -- the cards on the table

local function last(word) return word:sub(-1) end

-- One function for each command. It returns what stands after "=", or nil to refuse.
local commands = {}

function commands.set_deck(values, suits)
  if not suits then return nil end
  strongest = last(values)
  return ""
end

function commands.set_players(n, i)
  if not (tonumber(n) and tonumber(i)) then return nil end
  players, me = tonumber(n), tonumber(i)
  return ""
end

function commands.set_cards(count, ...)
  if tonumber(count) ~= select("#", ...) then return nil end
  hand, trick = { ... }, {}
  return ""
end

function commands.gen_declare()
  local sure = 0
  for _, card in ipairs(hand) do
    if card:sub(1, 1) == strongest then sure = sure + 1 end
  end
  return tostring(sure)
end

function commands.gen_move()
  for _, card in ipairs(hand) do
    if trick[1] and last(card) == last(trick[1]) then return card end
  end
  return hand[1]
end

function commands.play(i, card)
  if not card then return nil end
  trick[#trick + 1] = card
  if #trick >= players then trick = {} end
  for place, mine in ipairs(hand) do
    if tonumber(i) == me and mine == card then
      table.remove(hand, place)
      break
    end
  end
  return ""
end

local function heard() return "" end
commands.set_game, commands.time_left, commands.declare, commands.quit = heard, heard, heard, heard

for line in io.lines() do
  local words = {}
  for word in line:gmatch("%S+") do words[#words + 1] = word end
  if words[1] then -- a blank line has no reply
    local command = commands[words[1]]
    local text = command and command((unpack or table.unpack)(words, 2))
    if text then
      io.write("=", text ~= "" and " " or "", text, "\n\n")
    else
      io.write("? cannot do that\n\n")
    end
    io.flush() -- without this the reply waits in a buffer
    if words[1] == "quit" then break end
  end
end
