// Content blocks as a model may read them: only MCP's kinds, without control characters, with bounded text. A note at the end says what
// was left out.
import { isObject, limits, visible } from '@gatehouse/contracts'
import type { Redactor } from '../secrets/redact.ts'

export type Block = Record<string, unknown>

const isText = (value: unknown): value is string => typeof value === 'string'
const isMedia = ({ data, mimeType }: Block): boolean => isText(data) && isText(mimeType)

const kinds: Readonly<Record<string, (block: Block) => boolean>> = {
  text: ({ text }) => isText(text),
  image: isMedia,
  audio: isMedia,
  resource_link: ({ uri, name }) => isText(uri) && isText(name),
  resource: ({ resource }) => isObject(resource) && isText(resource['uri']) && (isText(resource['text']) || isText(resource['blob'])),
}

/** Control characters except newline and tab, and complete terminal colour codes. */
const controls = /\u001b\[[0-?]*[ -/]*[@-~]|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g
const hasControl = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/

export const stripControls = (text: string): string => (hasControl.test(text) ? text.replaceAll(controls, '') : text)

/** Every string of a value; the same value where none had to change. */
export const cleanValue = (value: unknown): unknown => {
  if (isText(value)) return stripControls(value)
  if (Array.isArray(value)) return value.map(cleanValue)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [stripControls(name), cleanValue(item)]))
}

const maxKinds = 8
const maxKindLength = 32

/** The remaining text allowance, and what was omitted. */
class Budget {
  readonly #redactor: Redactor
  #left: number = limits.resultText
  #cut = 0

  constructor(redactor: Redactor) {
    this.#redactor = redactor
  }

  get cut(): number {
    return this.#cut
  }

  get isSpent(): boolean {
    return this.#cut > 0
  }

  /** The part that may be shown. Secrets are redacted before the cut: a secret cut in two would not be found. */
  spend(text: string): string {
    const clean = stripControls(text)
    const size = Buffer.byteLength(clean)
    if (size <= this.#left) {
      this.#left -= size
      return clean
    }
    const bytes = Buffer.from(this.#redactor.text(clean))
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

/** Omitted blocks, by kind. */
class OmittedBlocks {
  readonly kinds = new Set<string>()
  count = 0

  add(block: unknown): void {
    const type = isObject(block) ? block['type'] : undefined
    this.count += 1
    if (this.kinds.size < maxKinds) this.kinds.add(isText(type) ? visible(type.slice(0, maxKindLength)) : 'none')
  }
}

const note = (text: string): Block => ({ type: 'text', text: `[${text}]` })

const notes = ({ cut }: Budget, { kinds, count }: OmittedBlocks): Block[] => [
  ...(cut > 0 ? [note(`cut: ${cut} more bytes of text are not shown; at most ${limits.resultText} are`)] : []),
  ...(count > 0
    ? [note(`left out: ${count} content block${count === 1 ? '' : 's'} of a kind that is not supported here: ${[...kinds].join(', ')}`)]
    : []),
]

const isKnown = (block: unknown): block is Block => {
  const type = isObject(block) ? block['type'] : undefined
  return isObject(block) && isText(type) && Object.hasOwn(kinds, type) && kinds[type]?.(block) === true
}

export const readContent = (content: unknown, redactor: Redactor): Block[] => {
  const budget = new Budget(redactor)
  const leftOut = new OmittedBlocks()
  const blocks: Block[] = []
  for (const block of Array.isArray(content) ? content : []) {
    const clean = isKnown(block) ? cleanBlock(block, budget) : leftOut.add(block)
    if (clean !== undefined) blocks.push(clean)
  }
  return [...blocks, ...notes(budget, leftOut)]
}
