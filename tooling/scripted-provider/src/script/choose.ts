// Which turn answers a request. It depends on the dialogue in the request alone, so a repeated request gets the same answer.
import type { Ask } from '../ask.ts'
import { isScript, parseScript } from './parse.ts'
import { plain, type Scene, type Turn } from './turn.ts'

const fillIn = (text: string, ask: Ask): string =>
  text
    .replaceAll('{result}', () => ask.results.join('\n'))
    .replaceAll('{user}', () => ask.user)
    .replaceAll('{tools}', () => ask.tools.toSorted().join(', '))

const filled = (turn: Turn, ask: Ask): Turn => ({
  ...turn,
  parts: turn.parts.map((part) => (part.type === 'call' ? part : { ...part, text: fillIn(part.text, ask) })),
})

const spoken = (user: string): readonly Scene[] => {
  if (!isScript(user)) return []
  try {
    return parseScript(user)
  } catch {
    return []
  }
}

const turnAt = ({ turns }: Scene, step: number): Turn | undefined => {
  const last = turns.at(-1)
  return turns[step] ?? (last?.again === true ? last : undefined)
}

/** Also the key of the turn, by which its faults are counted. */
export const chooseTurn = (scenes: readonly Scene[], ask: Ask): { turn: Turn; key: string } => {
  const scene = scenes.find(({ when }) => when === null || when.test(ask.user)) ?? spoken(ask.user)[0]
  const turn = scene === undefined ? undefined : turnAt(scene, ask.step)
  const key = `${ask.provider} ${ask.step} ${ask.user}`
  if (turn !== undefined) return { turn: filled(turn, ask), key }
  return { turn: plain(ask.results.length > 0 ? `The tool answered: ${ask.results.join('\n')}` : `echo: ${ask.user}`), key }
}
