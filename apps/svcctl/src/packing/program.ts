// The program of a package, by the word of its manifest.
import { readFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { ServiceError } from '@gatehouse/contracts'
import * as v from 'valibot'

const Manifest = v.looseObject({ bin: v.optional(v.union([v.string(), v.record(v.string(), v.string())])) })

const choose = (bin: Readonly<Record<string, string>>, base: string, wanted: string | undefined): string | undefined => {
  const names = Object.keys(bin)
  return bin[wanted ?? (names.includes(base) ? base : names.length === 1 ? names[0] : undefined) ?? '']
}

/** Path of the program below the package. @param home the package's directory */
export const programOf = async (home: string, name: string, wanted: string | undefined): Promise<string> => {
  const { bin } = v.parse(Manifest, JSON.parse(await readFile(join(home, 'package.json'), 'utf8')))
  const base = name.slice(name.lastIndexOf('/') + 1)
  const all = typeof bin === 'string' ? { [base]: bin } : (bin ?? {})
  const program = choose(all, base, wanted)
  if (program !== undefined && !posix.normalize(program).startsWith('..')) return posix.normalize(program)
  const names = Object.keys(all)
  throw new ServiceError('invalid', {
    detail:
      names.length === 0
        ? `expected a package with a program, ${name} has none`
        : `expected a program of ${name}, got ${wanted ?? 'no choice'}: it has ${names.join(', ')}`,
    hint: names.length === 0 ? 'pack the package that holds the server' : `choose with --bin, such as --bin ${names[0] ?? ''}`,
  })
}
