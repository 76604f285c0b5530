// What an agent can plant among its files to keep a backup from being taken or restored.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, link, mkdir, mkdtemp, open, rename, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'

const run = promisify(execFile)

const long = (letter: string): string => letter.repeat(250)

/** Goes with whatever lies in it, be it deeper than Node can remove it. */
export const deepScratch = async (t: TestContext): Promise<string> => {
  const path = await mkdtemp(join(tmpdir(), 'gatehouse-planted-'))
  t.after(() => run('rm', ['-rf', path]))
  return path
}

/** Deeper than any path may be: two chains, one renamed into the other. */
const plantDeep = async (at: string): Promise<void> => {
  const half = Array.from({ length: 14 }, (_, index) => long(index % 2 === 0 ? 'a' : 'b'))
  for (const tree of ['one', 'two']) await mkdir(join(at, tree, ...half), { recursive: true })
  await rename(join(at, 'two'), join(at, 'one', ...half, 'two'))
}

const plantNames = async (at: string): Promise<void> => {
  for (const name of [
    Buffer.from([0xff]),
    Buffer.from('\u{fffd}'),
    Buffer.from([0xfe, 0x41]),
    Buffer.from('é\n30 path=state'),
    Buffer.from(`${'é'.repeat(100)}\nx`),
    Buffer.from('line\nend'),
    Buffer.from('back\\slash '),
    Buffer.from('dot.'),
    Buffer.from('\u0001\u001b[31m\u202e'),
    Buffer.from(' '),
  ])
    await writeFile(Buffer.concat([Buffer.from(`${at}/`), name]), name)
}

/** Headers of more than a block, of letters of three bytes each, wherever they come to lie. */
const plantWide = async (at: string): Promise<void> => {
  const folder = join(at, ...Array.from({ length: 12 }, () => '日'.repeat(80)))
  await mkdir(folder, { recursive: true })
  for (let index = 0; index < 120; index += 1) await writeFile(join(folder, `${index}${'本'.repeat(index % 60)}`), String(index))
}

const plantTimes = async (at: string): Promise<void> => {
  for (const [name, time] of [
    ['before', '1969-12-31 23:59:58.5 UTC'],
    ['long before', '1905-01-01 UTC'],
    ['late', '2400-01-01 UTC'],
  ] as const) {
    await writeFile(join(at, name), name)
    await run('touch', ['-d', time, join(at, name)])
  }
}

const plantLinks = async (at: string): Promise<void> => {
  await symlink('\n', join(at, 'to a line end'))
  await symlink('/etc/shadow', join(at, '\nfirst'))
  await symlink('x'.repeat(4095), join(at, 'to afar'))
  await symlink(`${'x'.repeat(200)}\n`, join(at, 'to afar and a line end'))
  await symlink(Buffer.from([0x2f, 0xff]), join(at, 'to no text'))
}

const plantKinds = async (at: string): Promise<void> => {
  await run('mkfifo', [join(at, 'pipe')])
  // The path of a socket that is listened on has room for 107 bytes.
  const short = join(tmpdir(), `gh-${randomBytes(6).toString('hex')}`)
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(short, resolve))
  await rename(short, join(at, 'socket'))
  server.unref()
  await writeFile(join(at, 'program'), 'p')
  await chmod(join(at, 'program'), 0o6755)
  await link(join(at, 'program'), join(at, 'again'))
  await writeFile(join(at, 'closed'), 'c')
  await chmod(join(at, 'closed'), 0)
  for (const [name, size] of [
    ['sparse', 1024 * 1024],
    ['endless', 8 * 1024 ** 4],
  ] as const) {
    await using file = await open(join(at, name), 'w')
    await file.truncate(size)
  }
}

/** Below a directory of the group. */
export const plant = async (at: string): Promise<void> => {
  await mkdir(at, { recursive: true })
  await plantDeep(at)
  await plantNames(at)
  await plantWide(at)
  await plantTimes(at)
  await plantLinks(at)
  await plantKinds(at)
}
