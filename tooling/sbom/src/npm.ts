// Reads which npm packages are in the bundles: the list that a build leaves beside them.
import { readFile } from 'node:fs/promises'
import * as v from 'valibot'
import type { NpmPackage } from './parts.ts'

const List = v.array(v.object({ name: v.string(), version: v.string(), license: v.nullable(v.string()), programs: v.array(v.string()) }))

/** `only`: programs that are in the release. */
export const readNpmPackages = async (file: string, only: readonly string[]): Promise<NpmPackage[]> => {
  const wanted = new Set(only)
  return v
    .parse(List, JSON.parse(await readFile(file, 'utf8')))
    .map((row) => ({ ...row, programs: row.programs.filter((program) => wanted.has(program)) }))
    .filter(({ programs }) => programs.length > 0)
}
