// What a command line asks for: a command, the help of something, the version, or nothing that is known.

export type Wanted =
  | { readonly type: 'command'; readonly id: string; readonly argv: string[] }
  /** The id of a command or of a topic; empty for the whole. */
  | { readonly type: 'help'; readonly id: string }
  | { readonly type: 'version' }
  | { readonly type: 'unknown'; readonly words: string }

const wordsOf = (argv: readonly string[]): string[] => {
  const end = argv.findIndex((word) => !/^[a-z][a-z-]*$/.test(word))
  return end === -1 ? [...argv] : argv.slice(0, end)
}

const beforeEnd = (argv: readonly string[]): readonly string[] => argv.slice(0, argv.includes('--') ? argv.indexOf('--') : argv.length)

/** The longest row of words that names something. */
const longest = (words: readonly string[], known: (id: string) => boolean): string => {
  for (let count = words.length; count > 0; count -= 1) {
    const id = words.slice(0, count).join(':')
    if (known(id)) return id
  }
  return ''
}

export const isTopic = (ids: readonly string[], id: string): boolean => ids.some((each) => each.startsWith(`${id}:`))

export const find = (ids: readonly string[], argv: readonly string[]): Wanted => {
  const asksHelp = argv[0] === 'help' || beforeEnd(argv).some((word) => word === '--help' || word === '-h')
  const words = wordsOf(argv[0] === 'help' ? argv.slice(1) : argv)
  const command = longest(words, (id) => ids.includes(id))
  const topic = longest(words, (id) => isTopic(ids, id))
  const named = command.length >= topic.length ? command : topic
  if (argv[0] === '--version' || argv[0] === '-v') return { type: 'version' }
  if (words.length === 0) return asksHelp || argv.length === 0 ? { type: 'help', id: '' } : { type: 'unknown', words: argv[0] ?? '' }
  if (asksHelp && named !== '') return { type: 'help', id: named }
  if (command !== '') return { type: 'command', id: command, argv: argv.slice(command.split(':').length) }
  const rest = words.slice(named.split(':').length)
  return named === '' || rest.length > 0 ? { type: 'unknown', words: words.join(' ') } : { type: 'help', id: named }
}
