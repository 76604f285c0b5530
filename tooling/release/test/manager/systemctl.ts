// Stands in for systemd where none is the first process: does with a unit what its file says of who starts what, with which
// settings, secrets and directories, and starts it anew where systemd would. What else a unit denies is nothing of its business.
import { spawn } from 'node:child_process'
import { chmodSync, chownSync, copyFileSync, cpSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const own = import.meta.dirname
const [act = '', ...words] = process.argv.slice(2)
const names = words.filter((word) => !word.startsWith('-')).map((word) => (word.endsWith('.service') ? word.slice(0, -8) : word))

const textOf = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '')
const fileOf = (name: string): string => `/etc/systemd/system/${name.replace(/@.*/, '@')}.service`

/** Every value of a setting, in the order of the file, each line a list of words. */
const settings = (name: string) => {
  const instance = name.split('@')[1] ?? ''
  const lines = textOf(fileOf(name)).replaceAll('%i', instance).split('\n')
  return (key: string): string[] => lines.flatMap((line) => (line.startsWith(`${key}=`) ? line.slice(key.length + 1).split(' ') : []))
}

const idOf = (file: string, name: string): number => Number(new RegExp(`^${name}:[^:]*:(\\d+):`, 'm').exec(textOf(file))?.[1] ?? 0)

const pairs = (lines: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    lines.filter((line) => /^[A-Z]/.test(line)).map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )

const make = (path: string, { mode, uid, gid }: { mode: number; uid: number; gid: number }): void => {
  mkdirSync(path, { recursive: true, mode: 0o755 })
  chownSync(path, uid, gid)
  chmodSync(path, mode)
}

const modeOf = ([text]: readonly string[]): number => Number.parseInt(text ?? '0755', 8)

/** Where systemd would fail for want of a credential, so does this. */
const prepare = (name: string) => {
  const of = settings(name)
  const [user = 'root', group = user] = [of('User')[0], of('Group')[0]]
  const owner = { uid: idOf('/etc/passwd', user), gid: idOf('/etc/group', group) }
  for (const path of of('StateDirectory')) make(join('/var/lib', path), { ...owner, mode: modeOf(of('StateDirectoryMode')) })
  for (const path of of('RuntimeDirectory')) make(join('/run', path), { ...owner, mode: modeOf(of('RuntimeDirectoryMode')) })
  const credentials = join('/run/credentials', `${name}.service`)
  for (const [id = '', path = ''] of of('LoadCredential').map((word) => word.split(':'))) {
    make(credentials, { ...owner, mode: 0o700 })
    if (!existsSync(path)) throw new Error(`${name}: there is no credential at ${path}`)
    // One directory is many credentials, each with the name of its file behind.
    if (statSync(path).isDirectory()) cpSync(path, credentials, { recursive: true, filter: (from) => (from !== path && renamed(from, { id, to: credentials, ...owner }), from === path) })
    else renamed(path, { id, to: credentials, ...owner, alone: true })
  }
  const env = {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin',
    ...pairs(of('Environment')),
    ...pairs(of('EnvironmentFile').flatMap((path) => textOf(path.replace(/^-/, '')).split('\n'))),
    ...(existsSync(credentials) && { CREDENTIALS_DIRECTORY: credentials }),
  }
  return { of, owner, env }
}
