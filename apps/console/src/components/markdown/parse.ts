// Markdown as a tree, in time that grows with the length of the text: no expression here backtracks, and nesting is bounded.
// It knows what agents write: headings, lists, quotes, tables, code, emphasis and links. HTML is text. Pure functions.

export type Inline =
  | { readonly type: 'text' | 'code'; readonly text: string }
  | { readonly type: 'strong' | 'emphasis' | 'deleted'; readonly children: readonly Inline[] }
  | { readonly type: 'link'; readonly href: string; readonly children: readonly Inline[] }
  | { readonly type: 'break' }

export type Block =
  | { readonly type: 'paragraph'; readonly children: readonly Inline[] }
  | { readonly type: 'heading'; readonly level: number; readonly children: readonly Inline[] }
  | { readonly type: 'code'; readonly language: string; readonly text: string }
  | { readonly type: 'quote'; readonly children: readonly Block[] }
  | { readonly type: 'list'; readonly start: number | undefined; readonly items: readonly (readonly Block[])[] }
  | { readonly type: 'table'; readonly head: readonly (readonly Inline[])[]; readonly rows: readonly (readonly (readonly Inline[])[])[] }
  | { readonly type: 'rule' }

/** Lists in quotes in lists: what is deeper is text. */
const deepest = 8

const marks = [
  ['**', 'strong'],
  ['__', 'strong'],
  ['~~', 'deleted'],
  ['*', 'emphasis'],
  ['_', 'emphasis'],
] as const

const isWord = (character: string | undefined): boolean => character !== undefined && /[\p{L}\p{N}]/u.test(character)
const isSpace = (character: string | undefined): boolean => character === undefined || /\s/.test(character)

interface Found {
  readonly node: Inline
  /** Behind it. */
  readonly to: number
}

/** Where each mark was found last, from where it was looked for; Infinity where there is none. So the text is read once for each. */
type Places = Map<string, { readonly from: number; readonly place: number }>

const find = (text: string, mark: string, { from, places }: { readonly from: number; readonly places: Places }): number => {
  const known = places.get(mark)
  if (known !== undefined && known.from <= from && from <= known.place) return known.place === Infinity ? -1 : known.place
  const place = text.indexOf(mark, from)
  places.set(mark, { from, place: place === -1 ? Infinity : place })
  return place
}

interface At {
  readonly text: string
  readonly from: number
  readonly depth: number
  readonly places: Places
}

const codeAt = ({ text, from, places }: At): Found | undefined => {
  let ticks = 1
  while (text[from + ticks] === '`') ticks += 1
  const mark = '`'.repeat(ticks)
  const to = find(text, mark, { from: from + ticks, places })
  return to === -1 ? undefined : { node: { type: 'code', text: text.slice(from + ticks, to).trim() }, to: to + ticks }
}

const emphasisAt = (at: At): Found | undefined => {
  const { text, from, depth, places } = at
  const found = marks.find(([mark]) => text.startsWith(mark, from))
  if (found === undefined || depth >= deepest) return undefined
  const [mark, type] = found
  const begin = from + mark.length
  if (isSpace(text[begin]) || (mark.startsWith('_') && isWord(text[from - 1]))) return undefined
  for (let to = find(text, mark, { from: begin, places }), tries = 0; to !== -1 && tries < 4; tries += 1) {
    const isClosed = to > begin && !isSpace(text[to - 1]) && !(mark.startsWith('_') && isWord(text[to + mark.length]))
    // A single star is not half of a double one.
    const isHalf = mark.length === 1 && text[to + 1] === mark && text[to - 1] !== mark
    if (isClosed && !isHalf) {
      return { node: { type, children: parseInline(text.slice(begin, to), depth + 1) }, to: to + mark.length }
    }
    to = find(text, mark, { from: to + (isHalf ? 2 : 1), places })
  }
  return undefined
}

/** Only addresses of the web and of mail: what else a text calls a link stays text. */
const isAddress = (href: string): boolean => /^(?:https?:\/\/|mailto:)[^\s<>"]+$/i.test(href) && href.length <= 2_048

const linkAt = ({ text, from, depth, places }: At): Found | undefined => {
  const middle = find(text, '](', { from: from + 1, places })
  if (middle === -1 || depth >= deepest || middle - from > 1_024) return undefined
  const to = find(text, ')', { from: middle + 2, places })
  if (to === -1) return undefined
  const href = text.slice(middle + 2, to).trim()
  const label = text.slice(from + 1, middle)
  if (!isAddress(href) || label.includes('[')) return undefined
  return { node: { type: 'link', href, children: parseInline(label, deepest) }, to: to + 1 }
}

const bareLinkAt = ({ text, from }: At): Found | undefined => {
  if (isWord(text[from - 1])) return undefined
  const found = /^https?:\/\/[^\s<>"`]{1,2048}/.exec(text.slice(from, from + 2_060))?.[0]?.replace(/[.,;:!?)\]'*_]{1,8}$/, '')
  if (found === undefined || !isAddress(found)) return undefined
  return { node: { type: 'link', href: found, children: [{ type: 'text', text: found }] }, to: from + found.length }
}

const readers: Readonly<Record<string, (at: At) => Found | undefined>> = {
  '`': codeAt,
  '*': emphasisAt,
  _: emphasisAt,
  '~': emphasisAt,
  '[': linkAt,
  h: bareLinkAt,
}

const readAt = (at: At): Found | undefined => {
  const character = at.text[at.from] ?? ''
  if (character === '\n') return { node: { type: 'break' }, to: at.from + 1 }
  // A picture is never loaded: it is a link to it.
  if (character === '!' && at.text[at.from + 1] === '[') return linkAt({ ...at, from: at.from + 1 })
  return readers[character]?.(at)
}

const escaped = /[\\`*_{}[\]()#+\-.!|~>]/

const parseInline = (text: string, depth = 0): readonly Inline[] => {
  const nodes: Inline[] = []
  const places: Places = new Map()
  let words = ''
  const flush = (): void => {
    if (words !== '') nodes.push({ type: 'text', text: words })
    words = ''
  }
  for (let from = 0; from < text.length;) {
    const character = text[from] ?? ''
    if (character === '\\' && escaped.test(text[from + 1] ?? '')) {
      words += text[from + 1]
      from += 2
      continue
    }
    const found = readAt({ text, from, depth, places })
    if (found === undefined) {
      words += character
      from += 1
      continue
    }
    flush()
    nodes.push(found.node)
    from = found.to
  }
  flush()
  return nodes
}

const fence = /^ {0,3}(`{3,}(?!`)|~{3,}(?!~))([^`]*)$/
const heading = /^ {0,3}(#{1,6}) +(.*)$/
const rule = /^ {0,3}(?:(?:\* *){3,}|(?:- *){3,}|(?:_ *){3,})$/
const quote = /^ {0,3}> ?/
const item = /^( {0,3})([-*+]|\d{1,9}[.)])( {1,4})(?=\S)/
const divider = /^\|?(?: *:?-+:? *\|)* *:?-+:? *\|?$/

interface Read {
  readonly block: Block
  /** Lines that it took. */
  readonly count: number
}

type Lines = readonly string[]

const cells = (line: string): readonly (readonly Inline[])[] =>
  line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
    .split(/(?<!\\)\|/)
    .map((cell) => parseInline(cell.trim()))

const isFenceEnd = (line: string, mark: string): boolean => {
  const words = line.trim()
  return words.length >= mark.length && words === (mark[0] ?? '').repeat(words.length)
}

const readFence = (lines: Lines, from: number): Read | undefined => {
  const [, mark, about = ''] = fence.exec(lines[from] ?? '') ?? []
  if (mark === undefined) return undefined
  let to = from + 1
  while (to < lines.length && !isFenceEnd(lines[to] ?? '', mark)) to += 1
  const language = about.trim().split(' ')[0] ?? ''
  return { block: { type: 'code', language, text: lines.slice(from + 1, to).join('\n') }, count: Math.min(to + 1, lines.length) - from }
}

const isDivider = (line: string): boolean => line.includes('|') && divider.test(line.trim())

const readTable = (lines: Lines, from: number): Read | undefined => {
  if (!(lines[from] ?? '').includes('|') || !isDivider(lines[from + 1] ?? '')) return undefined
  let to = from + 2
  while (to < lines.length && (lines[to] ?? '').includes('|')) to += 1
  const head = cells(lines[from] ?? '')
  const rows = lines.slice(from + 2, to).map((line) => {
    const row = cells(line)
    return head.map((_, place) => row[place] ?? [])
  })
  return { block: { type: 'table', head, rows }, count: to - from }
}

const readQuote = (lines: Lines, from: number, depth: number): Read | undefined => {
  if (!quote.test(lines[from] ?? '') || depth >= deepest) return undefined
  let to = from
  while (to < lines.length && quote.test(lines[to] ?? '')) to += 1
  const inner = lines.slice(from, to).map((line) => line.replace(quote, ''))
  return { block: { type: 'quote', children: parseLines(inner, depth + 1) }, count: to - from }
}

/** The lines of one item: the first without its mark, the others without their indentation. */
const itemLines = (lines: Lines, from: number): { readonly inner: readonly string[]; readonly to: number } => {
  const [whole = ''] = item.exec(lines[from] ?? '') ?? []
  const inner = [(lines[from] ?? '').slice(whole.length)]
  let to = from + 1
  for (; to < lines.length; to += 1) {
    const line = lines[to] ?? ''
    const isIndented = line.startsWith(' '.repeat(Math.min(whole.length, 2)))
    if (line.trim() === '' ? !(lines[to + 1] ?? '').startsWith('  ') : !isIndented) break
    inner.push(line.slice(Math.min(whole.length, line.length - line.trimStart().length)))
  }
  return { inner, to }
}

const readList = (lines: Lines, from: number, depth: number): Read | undefined => {
  const first = item.exec(lines[from] ?? '')
  if (first === null || depth >= deepest) return undefined
  const isOrdered = (mark: string | undefined): boolean => /^\d/.test(mark ?? '')
  const items: (readonly Block[])[] = []
  let at = from
  for (;;) {
    const next = item.exec(lines[at] ?? '')
    if (next === null || isOrdered(next[2]) !== isOrdered(first[2])) break
    const { inner, to } = itemLines(lines, at)
    items.push(parseLines(inner, depth + 1))
    at = to
    // One empty line between two items.
    if ((lines[at] ?? 'x').trim() === '' && item.test(lines[at + 1] ?? '')) at += 1
  }
  return { block: { type: 'list', start: isOrdered(first[2]) ? Number.parseInt(first[2] ?? '1', 10) : undefined, items }, count: at - from }
}

const readLine = (lines: Lines, from: number): Read | undefined => {
  const line = lines[from] ?? ''
  if (rule.test(line)) return { block: { type: 'rule' }, count: 1 }
  const [, level, text = ''] = heading.exec(line) ?? []
  if (level === undefined) return undefined
  return { block: { type: 'heading', level: level.length, children: parseInline(text.trim()) }, count: 1 }
}

const readBlock = (lines: Lines, from: number, depth: number): Read | undefined =>
  readFence(lines, from) ?? readLine(lines, from) ?? readTable(lines, from) ?? readQuote(lines, from, depth) ?? readList(lines, from, depth)

const parseLines = (lines: Lines, depth: number): readonly Block[] => {
  const blocks: Block[] = []
  let words: string[] = []
  const flush = (): void => {
    if (words.length > 0) blocks.push({ type: 'paragraph', children: parseInline(words.join('\n')) })
    words = []
  }
  for (let from = 0; from < lines.length;) {
    const line = lines[from] ?? ''
    const read = line.trim() === '' ? undefined : readBlock(lines, from, depth)
    if (read === undefined) {
      if (line.trim() === '') flush()
      else words.push(line.trim())
      from += 1
      continue
    }
    flush()
    blocks.push(read.block)
    from += read.count
  }
  flush()
  return blocks
}

export const parseMarkdown = (text: string): readonly Block[] => parseLines(text.replaceAll('\t', '    ').split(/\r\n|\n|\r/), 0)
