// Ways in which the files of a journal go wrong, each with its end.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, copyFileSync, linkSync, readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { waitFor } from '@gatehouse/kernel'

export interface Place {
  readonly dir: string
  readonly pid: number
}

export interface Fault {
  readonly name: string
  /** Acts that need the journal are refused while it lasts. */
  readonly refuses: boolean
  /** The journal may take a line where the database takes nothing: then the line is not late. */
  readonly mayJournal?: true
  /** Is over when there is a reserve again, which is looked for every few seconds. */
  readonly takesReserve?: true
  /** Resolves when it is there, with what ends it. */
  begin(place: Place): Promise<() => Promise<void>>
}

const journal = ({ dir }: Place): string => join(dir, 'audit.jsonl')

const onFiles = (name: string, begin: (place: Place) => () => void): Fault => ({
  name,
  refuses: true,
  begin: (place) => {
    const end = begin(place)
    return Promise.resolve(async () => end())
  },
})

/** Until not a page is left. */
const fill = (dir: string, name: string): void => {
  for (let size = 1024 * 1024; size >= 1;) {
    try {
      writeFileSync(join(dir, name), Buffer.alloc(size), { flag: 'a' })
    } catch {
      size = Math.floor(size / 2)
    }
  }
}

/** What happens to calls of those names on the files of journal and database. */
const inject = async ({ dir, pid }: Place, what: string): Promise<() => Promise<void>> => {
  const calls = what.split(':', 1).join('')
  const paths = ['audit.jsonl', 'gateway.db', 'gateway.db-wal'].flatMap((name) => ['-P', join(dir, name)])
  const flags = ['-f', '-q', '-o', '/dev/null', ...paths, '-e', `trace=${calls}`, '-e', `inject=${what}`]
  const tracing = spawn('strace', [...flags, '-p', String(pid)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(tracing, 'exit')
  // The threads that do the writing are attached after the first one.
  const attached = (): boolean =>
    readdirSync(`/proc/${pid}/task`).every((task) => /^TracerPid:\s+[1-9]/m.test(readFileSync(`/proc/${pid}/task/${task}/status`, 'utf8')))
  await waitFor(attached, { what: 'every thread to be traced', deadline: 60_000 })
  return async () => {
    tracing.kill('SIGINT')
    await ended
  }
}

export const faults: readonly Fault[] = [
  {
    name: 'a full disk',
    refuses: true,
    takesReserve: true,
    mayJournal: true,
    begin: async ({ dir }) => {
      // What the journal keeps in reserve is given up at the first fault, so it is filled as well.
      rmSync(join(dir, 'audit.reserve'), { force: true })
      fill(dir, 'filler')
      return async () => rmSync(join(dir, 'filler'))
    },
  },
  {
    name: 'a full disk with a reserve',
    refuses: false,
    takesReserve: true,
    begin: async ({ dir }) => {
      fill(dir, 'filler')
      return async () => rmSync(join(dir, 'filler'))
    },
  },
  { name: 'a disk that is read-only', refuses: true, begin: (place) => inject(place, 'write,pwrite64,fdatasync:error=EROFS') },
  { name: 'a disk that fails to sync', refuses: true, begin: (place) => inject(place, 'fsync,fdatasync:error=EIO') },
  { name: 'a slow disk', refuses: false, begin: (place) => inject(place, 'fdatasync:delay_enter=200000') },
  onFiles('a deleted journal', (place) => {
    const aside = `${journal(place)}.aside`
    renameSync(journal(place), aside)
    return () => renameSync(aside, journal(place))
  }),
  onFiles('a replaced journal', (place) => {
    const aside = `${journal(place)}.aside`
    renameSync(journal(place), aside)
    copyFileSync(aside, journal(place))
    truncateSync(journal(place), 100)
    return () => renameSync(aside, journal(place))
  }),
  onFiles('a cut journal', (place) => {
    const whole = readFileSync(journal(place))
    truncateSync(journal(place), whole.length - 10)
    return () => writeFileSync(journal(place), whole)
  }),
  onFiles('a journal with a second name', (place) => {
    const second = `${journal(place)}.second`
    linkSync(journal(place), second)
    return () => rmSync(second)
  }),
  onFiles('a journal that others may read', (place) => {
    chmodSync(journal(place), 0o644)
    return () => chmodSync(journal(place), 0o600)
  }),
]
