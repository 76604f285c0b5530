// Reads a script: scenes of turns, one directive a line. Says which line it cannot read.
import type { Fault, Part, Scene, Turn } from './turn.ts'

interface Draft {
  parts: Part[]
  fault: Fault | null
  times: number
  pace: number
  stop: Turn['stop']
  again: boolean
}

const directive = /^(say|think|call|fill|pace|stop|fault|again)(?:\s+([\s\S]*))?$/

const draft = (): Draft => ({ parts: [], fault: null, times: 0, pace: 0, stop: null, again: false })

const isEmpty = ({ parts, fault, stop }: Draft): boolean => parts.length === 0 && fault === null && stop === null

/** Numbers behind words: `429 retry-after 2 times 1` gives `{ '': 429, 'retry-after': 2, times: 1 }`. */
const numbersOf = (words: readonly string[]): Record<string, number> => {
  const found: Record<string, number> = {}
  let name = ''
  for (const word of words) {
    if (/^\d+$/.test(word)) found[name] = Number(word)
    else name = word
  }
  return found
}

const faultOf = (rest: string): { fault: Fault; times: number } => {
  const [kind = '', ...words] = rest.split(/\s+/)
  const { '': status, 'retry-after': retryAfter, after, times } = numbersOf(words)
  switch (kind) {
    case 'status':
      if (status === undefined) throw new Error('expected fault status <number>')
      return { fault: { kind, status, retryAfter: retryAfter ?? null }, times: times ?? 0 }
    case 'reset':
    case 'end':
    case 'silence':
    case 'malformed':
    case 'error-event':
    case 'endless':
      return { fault: { kind, after: after ?? 0 }, times: times ?? 0 }
    case 'media-type':
      return { fault: { kind }, times: times ?? 0 }
    default:
      throw new Error(`expected a fault of status, reset, end, silence, malformed, error-event, endless, media-type, got ${kind}`)
  }
}

const callOf = (rest: string): Part => {
  const [tool = '', json = '{}'] = rest.split(/\s+([\s\S]*)/)
  if (tool === '') throw new Error('expected call <tool> {json}')
  return { type: 'call', tool, arguments: json === '' ? '{}' : json }
}

const numberOf = (rest: string): number => {
  if (!/^\d+$/.test(rest)) throw new Error(`expected a number, got ${rest}`)
  return Number(rest)
}

const say = (parts: Part[], text: string): void => {
  const last = parts.at(-1)
  if (last?.type === 'say') parts[parts.length - 1] = { type: 'say', text: `${last.text}\n${text}` }
  else parts.push({ type: 'say', text })
}

const filler = 'lorem ipsum dolor sit amet '

const apply = (turn: Draft, verb: string, rest: string): void => {
  switch (verb) {
    case 'say':
      return say(turn.parts, rest)
    case 'think':
      return void turn.parts.push({ type: 'think', text: rest })
    case 'fill':
      return say(turn.parts, filler.repeat(Math.ceil(numberOf(rest) / filler.length)).slice(0, numberOf(rest)))
    case 'call':
      return void turn.parts.push(callOf(rest))
    case 'pace':
      turn.pace = numberOf(rest)
      return
    case 'stop':
      if (rest !== 'length' && rest !== 'refusal') throw new Error(`expected stop length or stop refusal, got ${rest}`)
      turn.stop = rest
      return
    case 'again':
      turn.again = true
      return
    default:
      Object.assign(turn, faultOf(rest))
  }
}

const conditionOf = (rest: string): RegExp => {
  const pattern = /^\/(.*)\/$/.exec(rest)?.[1] ?? rest.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
  return new RegExp(pattern, 'i')
}

interface OpenScene {
  when: RegExp | null
  turns: Draft[]
}

const read = (scenes: OpenScene[], line: string): void => {
  const when = /^when\s+(.*)$/.exec(line)?.[1]
  if (when !== undefined) return void scenes.push({ when: conditionOf(when), turns: [draft()] })
  const scene = scenes.at(-1) ?? { when: null, turns: [draft()] }
  if (scenes.length === 0) scenes.push(scene)
  if (line === '---') return void scene.turns.push(draft())
  const [, verb = '', rest = ''] = directive.exec(line) ?? []
  const turn = scene.turns.at(-1)
  if (verb === '' || turn === undefined) throw new Error(`expected a directive, got ${line.slice(0, 80)}`)
  apply(turn, verb, rest.trim())
}

/** Throws with the number of the line that cannot be read. */
export const parseScript = (script: string): Scene[] => {
  const scenes: OpenScene[] = []
  for (const [index, raw] of script.split('\n').entries()) {
    const line = raw.trim()
    if (line === '' || line.startsWith('#')) continue
    try {
      read(scenes, line)
    } catch (error) {
      throw new Error(`line ${index + 1} of the script: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
    }
  }
  return scenes.map(({ when, turns }) => ({ when, turns: turns.filter((turn, at) => at < turns.length - 1 || !isEmpty(turn)) }))
}

/** Whether a message of a user is a script by itself. */
export const isScript = (text: string): boolean => directive.test((text.trim().split('\n')[0] ?? '').trim())
