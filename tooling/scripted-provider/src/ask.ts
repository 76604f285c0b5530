// A request, whatever its wire format: what the script needs to know of it.
import { Refusal } from './refusal.ts'

/** One entry of a dialogue, in order. */
export interface Entry {
  readonly by: 'user' | 'model' | 'tool'
  readonly text: string
  /** Ids of the calls that a model made. */
  readonly calls: readonly string[]
  /** Ids of the calls that are answered here. */
  readonly answers: readonly string[]
}

export interface Ask {
  readonly provider: string
  readonly model: string
  readonly streams: boolean
  /** The newest message of the user. */
  readonly user: string
  /** How often the model has answered since. */
  readonly step: number
  /** What the tools answered since the model's last answer. */
  readonly results: readonly string[]
  readonly tools: readonly string[]
  /** Tools that stand in a namespace, by the name under which `tools` lists them. Responses only. */
  readonly namespaced?: ReadonlyMap<string, { readonly namespace: string; readonly name: string }>
  readonly inputTokens: number
  /** Chat completions tell their use in a stream only when asked to. */
  readonly tellsUse: boolean
}

export const entry = (by: Entry['by'], text: string, ids: { calls?: readonly string[]; answers?: readonly string[] } = {}): Entry => ({
  by,
  text,
  calls: ids.calls ?? [],
  answers: ids.answers ?? [],
})

/** Entries of one side that stand beside each other are one answer of the model. */
export const lookBack = (entries: readonly Entry[]): Pick<Ask, 'user' | 'step' | 'results'> => {
  const lastUser = entries.findLastIndex(({ by, text }) => by === 'user' && text !== '')
  const since = entries.slice(lastUser + 1)
  const step = since.filter(({ by }, at) => by === 'model' && since[at - 1]?.by !== 'model').length
  const lastAnswer = since.findLastIndex(({ by }) => by === 'model')
  return {
    user: entries[lastUser]?.text ?? '',
    step,
    results: since.slice(lastAnswer + 1).flatMap(({ by, text }) => (by === 'tool' ? [text] : [])),
  }
}

interface PairWords {
  dangling(ids: readonly string[]): string
  orphan(id: string): string
}

/** Every call is answered before anybody speaks again, and nothing is answered that was not called. */
export const checkPairs = (entries: readonly Entry[], words: PairWords): void => {
  let open: string[] = []
  for (const { by, calls, answers } of entries) {
    for (const id of answers) {
      if (!open.includes(id)) throw new Refusal(400, words.orphan(id))
      open.splice(open.indexOf(id), 1)
    }
    if (by !== 'tool' && open.length > 0 && !(by === 'model' && answers.length === 0 && calls.length > 0))
      throw new Refusal(400, words.dangling(open))
    open = [...open, ...calls]
  }
  if (open.length > 0) throw new Refusal(400, words.dangling(open))
}
