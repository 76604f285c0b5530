// A page of the documents as a list of steps: the fenced blocks that say, behind their language, that a test follows them.
//   sh test            is typed, and ends with 0
//   sh test ends=6     is typed, and ends with 6
//   sh test starts     is typed in a terminal of its own, and goes on running: a unit
//   sh test starts=proxy   likewise, for something beside the unit
//   sh test stopped    is typed after Ctrl-C in that terminal
//   sh elsewhere       is for another machine, and its reader says why; any other block of sh on a page that is followed is a fault
//   text shows         what the block before it prints; … stands for anything
//   LANGUAGE test file=NAME   is saved as NAME
export type Step =
  | { readonly does: 'type'; readonly text: string; readonly line: number; readonly ends: number; readonly stopped: boolean }
  | { readonly does: 'start'; readonly text: string; readonly line: number; readonly name: string }
  | { readonly does: 'show'; readonly text: string; readonly line: number }
  | { readonly does: 'save'; readonly text: string; readonly line: number; readonly file: string }
  | { readonly does: 'leave'; readonly text: string; readonly line: number }

interface Block {
  readonly language: string
  readonly words: readonly string[]
  readonly text: string
  readonly line: number
}

/** Those of a list stand further to the right, and so does each of their lines. */
const blocksOf = (page: string): Block[] =>
  [...page.matchAll(/^( *)```(\S*)([^\n]*)\n(.*?)^\1```$/gms)].map(
    ({ 1: margin = '', 2: language = '', 3: words = '', 4: text = '', index }) => ({
      language,
      words: words.split(' ').filter((word) => word !== ''),
      text: text.replaceAll(new RegExp(`^${margin}`, 'gm'), ''),
      line: page.slice(0, index).split('\n').length,
    }),
  )

const known = /^(test|starts|starts=\w+|stopped|elsewhere|shows|ends=\d+|file=[\w.-]+)$/

const valueOf = (words: readonly string[], name: string): string | undefined =>
  words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1)

const stepOf = ({ language, words, text, line }: Block): Step[] => {
  const unknown = words.find((word) => !known.test(word))
  if (language === '') throw new Error(`line ${line}: expected a language behind \`\`\`, such as sh or text, got none`)
  if (unknown !== undefined) throw new Error(`line ${line}: expected ${String(known)} behind \`\`\`${language}, got ${unknown}`)
  const file = valueOf(words, 'file')
  if (file !== undefined) return [{ does: 'save', text, line, file }]
  if (words.includes('shows')) return [{ does: 'show', text, line }]
  if (language !== 'sh') return []
  if (words.includes('elsewhere')) return [{ does: 'leave', text, line }]
  if (!words.includes('test')) throw new Error(`line ${line}: expected \`\`\`sh test or \`\`\`sh elsewhere, got \`\`\`sh alone`)
  const started = words.includes('starts') ? 'unit' : valueOf(words, 'starts')
  if (started !== undefined) return [{ does: 'start', text, line, name: started }]
  return [{ does: 'type', text, line, ends: Number(valueOf(words, 'ends') ?? 0), stopped: words.includes('stopped') }]
}

/** What stands between backticks in a line and begins like this; each once. */
export const typedBetween = (page: string, begin: RegExp): string[] => {
  const spans = [...page.replaceAll(/^```.*?^```$/gms, '').matchAll(/`([^`\n]+)`/g)].map(([, text = '']) => text)
  return [...new Set(spans.filter((text) => begin.test(text)))]
}

export const stepsOf = (page: string): Step[] => blocksOf(page).flatMap(stepOf)
