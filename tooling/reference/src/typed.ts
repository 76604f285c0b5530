// What the pages tell people to type of our own programs, and what is wrong with it: a command or a flag that there is not.
import { help } from '../../../apps/supervisor/src/plan/help.ts'
import { flagsOf, loadCommands } from './commands.ts'

/** Code of a page: blocks of sh, and what stands in one line between backticks. */
const codeOf = (page: string): string[] => {
  const blocks = [...page.matchAll(/^```(?:sh|bash|console)\b[^\n]*\n(.*?)^```$/gms)].flatMap(([, text = '']) =>
    text.replaceAll(/\\\n\s*/g, ' ').split('\n'),
  )
  const inline = [...page.replaceAll(/^```.*?^```$/gms, '').matchAll(/`([^`\n]+)`/g)].map(([, text = '']) => text)
  return [...blocks, ...inline]
}

/** Each call of a program in a line, up to what belongs to the shell. */
const callsOf = (line: string, program: string): string[][] =>
  [...line.replace(/\s#.*$/, '').matchAll(new RegExp(String.raw`(?:^\s*|\$\(|&& |; |\| |pnpm@12 |bin/)${program} ([^|;&)]*)`, 'g'))].map(
    ([, rest = '']) => [...rest.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) => word),
  )

const flagNames = (words: readonly string[]): string[] => words.flatMap((word) => /^--([a-z][a-z-]*)/.exec(word)?.slice(1, 2) ?? [])

/** A name of the reader's own, or what a function is given. */
const placeholder = /^(?:[A-Z…<[(]|"\$@"$)/

/** Flags of every command may stand before it, with their values. */
const withoutLeading = (words: readonly string[]): readonly string[] =>
  words[0] === '--addr' || words[0] === '--token-file' || words[0] === '--jq' ? withoutLeading(words.slice(2)) : words

const faultOfSvcctl = (all: readonly string[], known: ReadonlyMap<string, ReadonlySet<string>>): string | undefined => {
  const words = withoutLeading(all)
  const named = words.filter((word) => !word.startsWith('-'))
  const id = [3, 2, 1].map((count) => named.slice(0, count).join(' ')).find((name) => known.has(name))
  const isTopic =
    [...known.keys()].some((name) => name.startsWith(`${named[0]} `)) &&
    (named[1] === undefined || placeholder.test(named[1]) || named[1].includes('|'))
  if (named.length === 0 || named[0] === 'help' || placeholder.test(named[0] ?? '')) return undefined
  if (id === undefined) return isTopic ? undefined : `there is no command ${named.slice(0, 2).join(' ')}`
  const unknown = flagNames(words).find((flag) => !['json', 'help'].includes(flag) && known.get(id)?.has(flag) !== true)
  return unknown === undefined ? undefined : `${id} has no flag --${unknown}`
}

/** Such as `keys rotate`: what the help names behind the program in small letters. */
const acts = [...help.matchAll(/^ {2}gatehouse ([a-z-]+(?: [a-z-]+)*)/gm)].map(([, act = '']) => act)

const faultOfGatehouse = (words: readonly string[]): string | undefined => {
  const unknown = flagNames(words).find((flag) => !new RegExp(`--${flag}\\b`).test(help) && !['owner', 'dry-run', 'remove'].includes(flag))
  if (unknown !== undefined) return `gatehouse has no flag --${unknown}`
  const [first = '--'] = words
  if (first.startsWith('-') || placeholder.test(first)) return undefined
  return acts.some((act) => `${words.join(' ')} `.startsWith(`${act} `)) ? undefined : `gatehouse has no command ${first}`
}

/** A judge of pages; its answers are lines for people. */
export const createJudge = async (): Promise<(path: string, page: string) => string[]> => {
  const known = new Map(
    (await loadCommands()).flatMap(({ id, command }) => {
      const flags = new Set(flagsOf(command).map(([name]) => name))
      return [id, ...command.aliases].map((name) => [name.replaceAll(':', ' '), flags] as const)
    }),
  )
  return (path, page) =>
    codeOf(page).flatMap((line) => {
      const faults = [
        ...callsOf(line, 'svcctl').map((words) => faultOfSvcctl(words, known)),
        ...callsOf(line, 'gatehouse').map(faultOfGatehouse),
      ]
      return faults.filter((fault) => fault !== undefined).map((fault) => `${path}: ${line.trim()}: ${fault}`)
    })
}
