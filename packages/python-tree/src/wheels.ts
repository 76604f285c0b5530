// What unpacked wheels contain: versions, platforms, machine code, and the programs that a package declares. Reads files, imports nothing.
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { limits, ServiceError } from '@gatehouse/contracts'
import * as v from 'valibot'
import { normalName, type PythonSpec } from './resolve.ts'

export const PythonWheel = v.strictObject({
  name: v.string(),
  version: v.string(),
  /** As `py3-none-any`. */
  tags: v.array(v.string()),
  /** Files with machine code. */
  binaries: v.array(v.string()),
})
export type PythonWheel = v.InferOutput<typeof PythonWheel>

const shownBinaries = 100

const fieldsOf = (text: string, name: string): string[] =>
  [...text.matchAll(new RegExp(`^${name}: *(.*)$`, 'gm'))].map(([, value = '']) => value.trim())

const readWheel = async (directory: string): Promise<PythonWheel> => {
  const [metadata, wheel, record] = await Promise.all(
    ['METADATA', 'WHEEL', 'RECORD'].map((file) => readFile(join(directory, file), 'utf8')),
  )
  const [header = ''] = (metadata ?? '').split(/\r?\n\r?\n/)
  const files = (record ?? '').split('\n').map((line) => line.replace(/,[^,]*,[^,]*$/, '').replaceAll('"', ''))
  return {
    name: fieldsOf(header, 'Name')[0] ?? '',
    version: fieldsOf(header, 'Version')[0] ?? '',
    tags: fieldsOf(wheel ?? '', 'Tag'),
    binaries: files.filter((file) => /\.so(?:\.[\d.]+)?$/.test(file)).slice(0, shownBinaries),
  }
}

/** Of all packages below `target`, by name, and the bytes of all files. Throws `invalid` where the tree is too large. */
export const readWheels = async (target: string): Promise<{ readonly packages: PythonWheel[]; readonly bytes: number }> => {
  const entries = (await readdir(target, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  let bytes = 0
  for (const entry of entries) bytes += (await stat(join(entry.parentPath, entry.name))).size
  if (bytes > limits.treeBytes || entries.length > limits.treeFiles)
    throw new ServiceError('invalid', {
      detail: `expected at most ${limits.treeBytes} bytes in ${limits.treeFiles} files, got ${bytes} in ${entries.length}`,
    })
  const directories = (await readdir(target)).filter((name) => name.endsWith('.dist-info')).toSorted()
  return { packages: await Promise.all(directories.map((name) => readWheel(join(target, name)))), bytes }
}

/** A word of a program, never text of Python. */
const entryPoint = /^\s*([A-Za-z0-9._-]+)\s*=\s*([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\s*:\s*([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\s*(?:\[.*\])?\s*$/

interface EntryPoint {
  readonly program: string
  readonly module: string
  readonly callable: string
}

const programsIn = (text: string): EntryPoint[] => {
  const [, section = ''] = /^\[console_scripts\]\s*$([^[]*)/m.exec(text) ?? []
  return section.split('\n').flatMap((line) => {
    const [, program, module, callable] = entryPoint.exec(line) ?? []
    return program === undefined || module === undefined || callable === undefined ? [] : [{ program, module, callable }]
  })
}

const chooseProgram = (programs: readonly EntryPoint[], { name }: PythonSpec, wanted: string | undefined): EntryPoint => {
  const named = programs.find(({ program }) => (wanted === undefined ? normalName(program) === normalName(name) : program === wanted))
  const chosen = named ?? (wanted === undefined && programs.length === 1 ? programs[0] : undefined)
  if (chosen !== undefined) return chosen
  const names = programs.map(({ program }) => program)
  throw new ServiceError('invalid', {
    detail:
      names.length === 0
        ? `expected a package with a program, ${name} has none`
        : `expected a program of ${name}, got ${wanted ?? 'no choice'}: it has ${names.join(', ')}`,
    hint: names.length === 0 ? 'pack the package that holds the server' : `choose with --bin, such as --bin ${names[0] ?? ''}`,
  })
}

/** Text of the file that starts a program of the package, where the packages are at `path` of the image. */
export const startFile = async (
  target: string,
  spec: PythonSpec,
  { path, bin }: { readonly path: string; readonly bin: string | undefined },
): Promise<string> => {
  const directories = (await readdir(target)).filter((each) => each.endsWith('.dist-info'))
  const own = directories.find((each) => normalName(each.replace(/-[^-]*\.dist-info$/, '')) === normalName(spec.name)) ?? ''
  const declared = await readFile(join(target, own, 'entry_points.txt'), 'utf8').catch(() => '')
  const { program, module, callable } = chooseProgram(programsIn(declared), spec, bin)
  const [first = callable] = callable.split('.')
  return [
    'import site',
    'import sys',
    '',
    `site.addsitedir(${JSON.stringify(path)})`,
    `sys.argv[0] = ${JSON.stringify(program)}`,
    `from ${module} import ${first}`,
    '',
    `sys.exit(${callable}())`,
    '',
  ].join('\n')
}
