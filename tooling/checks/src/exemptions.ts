// Exemptions from a rule that the tree does not keep everywhere yet. The list only gets shorter: a name without a finding is itself one.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const file = 'tooling/checks/exemptions.json'

export interface Exemptions {
  /** The rule, as its key in `exemptions.json`. */
  readonly rule: string
  readonly names: readonly string[]
}

interface Finding {
  /** What may be exempt: a package, or a file. */
  readonly subject: string
  readonly finding: string
}

/** A checkout without the file has no exemptions. Throws if the file is not JSON. */
export const readExemptions = (root: string, rule: string): Exemptions => {
  const path = join(root, file)
  if (!existsSync(path)) return { rule, names: [] }
  const lists = JSON.parse(readFileSync(path, 'utf8')) as Readonly<Record<string, readonly string[]>>
  return { rule, names: lists[rule] ?? [] }
}

/** Drops findings whose subject is exempt, and adds one for each name that needs no exemption any longer. */
export const withExemptions = (findings: readonly Finding[], { rule, names }: Exemptions): string[] => [
  ...findings.filter(({ subject }) => !names.includes(subject)).map(({ finding }) => finding),
  ...names
    .filter((name) => !findings.some(({ subject }) => subject === name))
    .map((name) => `${name} keeps the rule "${rule}": remove it from ${file}`),
]
