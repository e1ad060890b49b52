// My own bot, honestly!
"use strict"

const colourOf = (c) => Array.from(c).pop()

let buffer = ""
let finished = false
let chance

let round = -1, seats = 0, mySeat = 0
let cards = []
let firstColour = "", played = 0

function answerAll(rows)
{
    let out = ""
    for (const row of rows)
    {
        const parts = row.split(/\s+/).filter(Boolean)
        if (!parts.length || finished)
            continue
        const said = handle(parts[0], parts.slice(1))
        out += (said === null ? `? what is ${parts[0].slice(0, 20)}` : `= ${said}`.trimEnd()) + '\n\n'
    }
    return out
}

function handle(verb, rest)
{
    switch (verb)
    {
        case 'quit':
            finished = true
            return ''
        case 'set_game':
            round = -1
            return ''
        case 'gen_move': {
            if (!cards.length)
                return null
            const same = cards.filter((c) => played && colourOf(c) === firstColour)
            const allowed = same.length ? same : cards
            return allowed[chance.upTo(allowed.length)]
        }
        case 'gen_declare':
            return String(chance.upTo(cards.length + 1))
        case 'play':
            if (rest.length !== 2)
                return null
            if (Number(rest[0]) === mySeat) {
                if (!cards.includes(rest[1]))
                    return null
                cards = cards.filter((c) => c !== rest[1])
            }
            if (!played)
                firstColour = colourOf(rest[1])
            played = (played + 1) % seats
            return ''
        case 'set_cards': {
            if (rest.length !== Number(rest[0]) + 1)
                return null
            cards = rest.slice(1).sort()
            played = 0
            round += 1
            chance = new Chance(`${round}-${cards.join(" ")}`)
            return ''
        }
        case 'set_players':
            if (rest.length !== 2 || !rest.every((part) => /^\d+$/.test(part)))
                return null
            ;[seats, mySeat] = rest.map(Number)
            return ''
        case 'time_left': case 'declare': case 'set_deck':
            return ''
        default:
            return null
    }
}

class Chance
{
    step()
    {
        this.s ^= this.s << 13
        this.s ^= this.s >>> 17
        this.s ^= this.s << 5
        return this.s >>> 0
    }
    upTo(n) { return Math.floor((this.step() / 2 ** 32) * n) }
    constructor(seed)
    {
        this.s = 17
        for (const b of Buffer.from(seed))
            this.s = Math.imul(this.s ^ b, 16777619)
        this.s = this.s || 5
    }
}

process.stdin.on('end', () => process.stdout.write(answerAll([buffer])))
process.stdin.setEncoding('utf8')
process.stdin.on('data', (chunk) =>
{
    const rows = (buffer + chunk).split('\n')
    buffer = rows.pop()
    const out = answerAll(rows)
    if (out)
        process.stdout.write(out, () => finished && process.exit(0))
})
