// Global flags may stand before the command: `svcctl --addr URL status`. The parser wants them behind it.

const withValue = new Set(['--addr', '--token-file'])
const alone = new Set(['--insecure-http', '--json'])

const lengthAt = (argv: readonly string[], at: number): number => {
  const [name = '', value] = (argv[at] ?? '').split('=', 2)
  if (alone.has(argv[at] ?? '')) return 1
  if (!withValue.has(name)) return 0
  return value === undefined ? 2 : 1
}

/** Moves them to the end, or before `--` where there is one. Without a command nothing is moved. */
export const moveLeadingFlags = (argv: readonly string[]): string[] => {
  let count = 0
  for (let length = lengthAt(argv, 0); length > 0; length = lengthAt(argv, count)) count += length
  const rest = argv.slice(count)
  if (rest.length === 0) return [...argv]
  const end = rest.indexOf('--')
  return rest.toSpliced(end === -1 ? rest.length : end, 0, ...argv.slice(0, count))
}
