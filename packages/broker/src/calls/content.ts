// Content blocks as a model may read them: those of MCP's kinds, without control characters, their text within a bound. What is left
// out is said in words of our own at the end.
import { limits, visible } from '@gatehouse/contracts'
import type { Scrub } from '../secrets/scrub.ts'

export type Block = Record<string, unknown>

export const isObject = (value: unknown): value is Block => typeof value === 'object' && value !== null && !Array.isArray(value)

const isText = (value: unknown): value is string => typeof value === 'string'
const isMedia = ({ data, mimeType }: Block): boolean => isText(data) && isText(mimeType)

const kinds: Readonly<Record<string, (block: Block) => boolean>> = {
  text: ({ text }) => isText(text),
  image: isMedia,
  audio: isMedia,
  resource_link: ({ uri, name }) => isText(uri) && isText(name),
  resource: ({ resource }) => isObject(resource) && isText(resource['uri']) && (isText(resource['text']) || isText(resource['blob'])),
}

/** All but newline and tab; the codes that colour a terminal go whole. */
const controls = /\u001b\[[0-?]*[ -/]*[@-~]|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g
const hasControl = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/

export const withoutControls = (text: string): string => (hasControl.test(text) ? text.replaceAll(controls, '') : text)

/** Every string of a value; the same value where none had to change. */
export const cleanValue = (value: unknown): unknown => {
  if (isText(value)) return withoutControls(value)
  if (Array.isArray(value)) return value.map(cleanValue)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [withoutControls(name), cleanValue(item)]))
}

const mostKinds = 8
const mostKind = 32

/** Text that may still be shown, and what was not. */
class Budget {
  readonly #scrub: Scrub
  #left: number = limits.resultText
  #cut = 0

  constructor(scrub: Scrub) {
    this.#scrub = scrub
  }

  get cut(): number {
    return this.#cut
  }

  get isSpent(): boolean {
    return this.#cut > 0
  }

  /** What of it may be shown. A value that no answer may hold must not be cut in two: then nobody would find it. */
  spend(text: string): string {
    const clean = withoutControls(text)
    const size = Buffer.byteLength(clean)
    if (size <= this.#left) {
      this.#left -= size
      return clean
    }
    const bytes = Buffer.from(this.#scrub.text(clean))
    const shown = new TextDecoder().decode(bytes.subarray(0, this.#left), { stream: true })
    this.#cut += bytes.length - Math.min(bytes.length, this.#left)
    this.#left -= Math.min(bytes.length, this.#left)
    return shown
  }
}

const cleanBlock = (block: Block, budget: Budget): Block | undefined => {
  const { text, resource, ...rest } = block
  const others = cleanValue(rest) as Block
  if (isText(text)) {
    const hasRoom = !budget.isSpent
    const shown = budget.spend(text)
    return hasRoom ? { ...others, text: shown } : undefined
  }
  if (!isObject(resource)) return others
  const { text: inner, ...about } = resource
  const known = cleanValue(about) as Block
  return { ...others, resource: isText(inner) ? { ...known, text: budget.spend(inner) } : known }
}

/** Blocks that are left out, by kind. */
class LeftOut {
  readonly kinds = new Set<string>()
  count = 0

  add(block: unknown): void {
    const type = isObject(block) ? block['type'] : undefined
    this.count += 1
    if (this.kinds.size < mostKinds) this.kinds.add(isText(type) ? visible(type.slice(0, mostKind)) : 'none')
  }
}

const note = (text: string): Block => ({ type: 'text', text: `[${text}]` })

const notes = ({ cut }: Budget, { kinds, count }: LeftOut): Block[] => [
  ...(cut > 0 ? [note(`cut: ${cut} more bytes of text are not shown; at most ${limits.resultText} are`)] : []),
  ...(count > 0
    ? [note(`left out: ${count} content block${count === 1 ? '' : 's'} of a kind that is not supported here: ${[...kinds].join(', ')}`)]
    : []),
]

const isKnown = (block: unknown): block is Block => {
  const type = isObject(block) ? block['type'] : undefined
  return isObject(block) && isText(type) && Object.hasOwn(kinds, type) && kinds[type]?.(block) === true
}

export const readContent = (content: unknown, scrub: Scrub): Block[] => {
  const budget = new Budget(scrub)
  const leftOut = new LeftOut()
  const blocks: Block[] = []
  for (const block of Array.isArray(content) ? content : []) {
    const clean = isKnown(block) ? cleanBlock(block, budget) : leftOut.add(block)
    if (clean !== undefined) blocks.push(clean)
  }
  return [...blocks, ...notes(budget, leftOut)]
}
