// A copy of the tree to run errands on: the files of Git and the links to packages. Nothing is installed or downloaded.
import assert from 'node:assert/strict'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { execa } from 'execa'
import type { Edit } from './errand.ts'

const root = join(import.meta.dirname, '../../../..')
const folders = ['packages', 'apps', 'tooling'] as const

/** Links lead to other packages of the copy, and to what is installed in the tree itself. */
const linkPackages = async (copy: string): Promise<void> => {
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'))
  for (const folder of folders) {
    for (const name of await readdir(join(root, folder))) {
      const from = join(root, folder, name, 'node_modules')
      await cp(from, join(copy, folder, name, 'node_modules'), { recursive: true, verbatimSymlinks: true }).catch((error: unknown) => {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
      })
    }
  }
}

export interface Copy extends AsyncDisposable {
  readonly path: string
  edit(edits: readonly Edit[]): Promise<void>
  /** Lines of the compiler, for the sources and for some files of tests; empty where there is no error. */
  types(tests: readonly string[]): Promise<string>
  /** Runs the tests of one file, or those with a name. `env`: more variables. */
  test(file: string, options?: { name?: string; env?: Readonly<Record<string, string>> }): Promise<{ ok: boolean; output: string }>
  run(file: string): Promise<void>
  read(file: string): Promise<string>
}

export const copyTree = async (): Promise<Copy> => {
  const path = await mkdtemp(join(tmpdir(), 'gatehouse-errands-'))
  const { stdout } = await execa(
    'git',
    ['ls-files', '-z', ...folders, 'docs/reference', 'docs/assets/pictures/*.svg', 'package.json', 'tsconfig*.json'],
    { cwd: root },
  )
  for (const file of stdout.split('\0').filter((name) => name !== '')) {
    await mkdir(dirname(join(path, file)), { recursive: true })
    await cp(join(root, file), join(path, file), { verbatimSymlinks: true }).catch(() => {})
  }
  await linkPackages(path)
  const read = (file: string): Promise<string> => readFile(join(path, file), 'utf8')
  const inCopy = { cwd: path, reject: false, all: true, stdin: 'ignore', preferLocal: true, localDir: root } as const
  return {
    path,
    read,
    async edit(edits) {
      for (const edit of edits) {
        if ('create' in edit) {
          await mkdir(dirname(join(path, edit.file)), { recursive: true })
          await writeFile(join(path, edit.file), edit.create)
          continue
        }
        const [from, to] = 'after' in edit ? [edit.after, edit.after + edit.insert] : [edit.replace, edit.by]
        const text = await read(edit.file)
        assert.equal(text.split(from).length, 2, `${edit.file}: expected once: ${from}`)
        await writeFile(
          join(path, edit.file),
          text.replace(from, () => to),
        )
      }
    },
    async types(tests) {
      const include = ['packages/*/src', 'apps/*/src', 'tooling/reference/src', 'tooling/testkit/src', ...tests]
      const config = { extends: './tsconfig.base.json', include, exclude: ['apps/console/src', '**/fixtures/violations'] }
      await writeFile(join(path, 'tsconfig.errands.json'), JSON.stringify(config))
      const projects = ['tsconfig.errands.json', 'apps/console/tsconfig.json']
      const outputs: string[] = []
      for (const project of projects) {
        const state = join(path, '.cache', `${project.replaceAll('/', '-')}.tsbuildinfo`)
        outputs.push((await execa('tsc', ['-p', project, '--incremental', '--tsBuildInfoFile', state], inCopy)).all)
      }
      return outputs.join('\n').trim()
    },
    async test(file, { name, env } = {}) {
      const chosen = name === undefined ? [] : ['--test-name-pattern', name]
      const { failed, all } = await execa(process.execPath, ['--import', 'tsx', '--test', ...chosen, file], {
        ...inCopy,
        env: { NODE_TEST_CONTEXT: undefined, ...env },
      })
      return { ok: !failed, output: all }
    },
    async run(file) {
      const { failed, all } = await execa(process.execPath, [file], inCopy)
      assert.ok(!failed, all)
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  }
}
