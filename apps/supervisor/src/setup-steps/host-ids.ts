// The ids that sandboxes have outside, kept from everybody else: tools that hand out ids read these two files first.
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ifPresent, writeAtomically } from '@gatehouse/kernel'
import { reserved } from '../identities.ts'
import type { Site, Step } from './step.ts'

const files = ['subuid', 'subgid'] as const
const own = `gatehouse:${reserved.first}:${reserved.count}`

const read = async (path: string): Promise<string> => (await ifPresent(readFile(path, 'utf8'))) ?? ''

const linesOf = async (path: string): Promise<string[]> => (await read(path)).split('\n').filter((line) => line !== '')

const overlaps = (line: string): boolean => {
  const [, first, count] = line.split(':')
  const from = Number(first)
  return line !== own && from < reserved.first + reserved.count && from + Number(count) > reserved.first
}

/** Somebody who has one already, by the host's own files. */
const ownersIn = async (path: string): Promise<string | undefined> =>
  (await linesOf(path)).find((line) => {
    const id = Number(line.split(':')[2])
    return id >= reserved.first && id < reserved.first + reserved.count
  })

/** The mode stays that of the file: others read it. */
const change = async ({ etc }: Site, edit: (lines: string[]) => string[]): Promise<void> => {
  for (const name of files) {
    const path = join(etc, name)
    const lines = await linesOf(path)
    const edited = edit(lines)
    if (edited.length === lines.length) continue
    const mode = await stat(path).then(
      (found) => found.mode & 0o777,
      () => 0o644,
    )
    await writeAtomically(path, edited.map((line) => `${line}\n`).join(''), mode)
  }
}

export const hostIds: Step = {
  name: 'host-ids',
  async look({ etc }) {
    const all = await Promise.all(files.map(async (name) => ({ path: join(etc, name), lines: await linesOf(join(etc, name)) })))
    for (const { path, lines } of all) {
      const taken = lines.find(overlaps)
      if (taken !== undefined) return { state: 'blocked', says: `${path} gives ids of sandboxes to somebody else: ${taken}` }
    }
    for (const name of ['passwd', 'group']) {
      const taken = await ownersIn(join(etc, name))
      if (taken !== undefined) return { state: 'blocked', says: `${join(etc, name)} gives an id of sandboxes to somebody else: ${taken}` }
    }
    const lacking = all.filter(({ lines }) => !lines.includes(own)).map(({ path }) => path)
    if (lacking.length > 0) return { state: 'lacking', says: `no line ${own} in ${lacking.join(' and ')}` }
    return { state: 'ready', says: `${own} in ${files.map((name) => join(etc, name)).join(' and ')}` }
  },
  make: (site) => change(site, (lines) => (lines.includes(own) ? lines : [...lines, own])),
  async remove(site) {
    await change(site, (lines) => lines.filter((line) => line !== own))
    return undefined
  },
}
