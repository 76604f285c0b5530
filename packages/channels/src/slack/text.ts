// Slack's writing of text: three characters are escaped, and what stands in angle brackets means something.

const plain = (text: string): string => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')

/** `<@U1|ann>`, `<#C1|general>`, `<!here>`, `<https://example.org|label>`. */
const readMark = (mark: string): string => {
  const [target = '', label] = mark.split('|', 2)
  if (target.startsWith('@')) return `@${label ?? target.slice(1)}`
  if (target.startsWith('#')) return `#${label ?? target.slice(1)}`
  if (target.startsWith('!')) return label ?? `@${target.slice(1).split('^')[0]}`
  return label === undefined || label === target ? target : `${label} (${target})`
}

/** As people see it. */
export const readText = (text: string): string => plain(text.replaceAll(/<([^<>]*)>/g, (_, mark: string) => readMark(mark)))

const nameOf = (user: string): RegExp => new RegExp(`<@${user}(?:\\|[^<>]*)?>`)

/** What a person has typed in brackets comes escaped: this is a mention for sure. */
export const names = (text: string, user: string): boolean => nameOf(user).test(text)

/** Without the name of this user where the text begins with it. */
export const withoutName = (text: string, user: string): string => text.replace(new RegExp(`^\\s*${nameOf(user).source}[\\s:,]*`), '')

/** Nothing in it means anything to Slack. */
export const escapeText = (text: string): string =>
  text.toWellFormed().replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
