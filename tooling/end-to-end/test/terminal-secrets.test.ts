// Tokens at an interactive shell: in its history, in the arguments of a program, on the screen, in a log or in a file that
// svcctl keeps there is none, whichever way it was given and whatever became of the command.
// Profile: rest. A matrix of shells and of places where a token can be typed.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { stateFiles } from '../src/state-files.ts'
import { runSvcctl } from '../src/svcctl.ts'
import { lacksTerminal, openTerminal, type Terminal } from '../src/terminal.ts'
import { freePort, freshDirectory, release, root, startUnit, type Unit } from '../src/unit.ts'

const isFull = process.env['GATEHOUSE_PROFILE'] === 'full'
const lacksTracer = existsSync('/usr/bin/strace') ? false : 'needs strace, install with: apt-get install -y strace'
const skip = lacksTerminal === false ? lacksTracer : lacksTerminal
if (skip !== false && process.env['CI'] === 'true') throw new Error(skip)

const random = (): string => randomBytes(32).toString('hex')
/** `typed` is the one that is given away, by whoever writes it into a command line. */
const tokens = { right: random(), wrong: random(), typed: random() }
const passphrase = random()

const encodings = ['utf8', 'base64', 'hex'] as const
/** Who of them is somewhere in it. */
const found = (names: Readonly<Record<string, string>>, text: string | Buffer): string[] =>
  Object.entries(names).flatMap(([name, secret]) =>
    encodings.some((encoding) =>
      Buffer.from(text).includes(
        Buffer.from(secret)
          .toString(encoding)
          .replace(/.{0,2}=*$/, ''),
      ),
    )
      ? [name]
      : [],
  )

/** Each line of these takes a token. */
const lines = [
  'svcctl status',
  'svcctl change pending --json',
  'svcctl audit list --limit 3 | cat',
  'svcctl doctor --state-dir state',
  'svcctl token create alice --role auditor --file alice.token',
  'svcctl backup --passphrase-file passphrase --out unit.age',
  'svcctl change approve chg_20260102030405.000000001 --by alice --yes',
  "DEBUG='*' svcctl token list 2>&1 | tail -50",
  'svcctl status --token-file right.token',
  'svcctl status --token-file wrong.token',
  'svcctl chat dev-agent hello --token-file wrong.token --json',
  'svcctl onboard --dry-run --token-file wrong.token',
  'svcctl status --token-file wrong.token --addr http://unit.invalid',
  'svcctl status --token-file wrong.token --addr "$DEAF"',
  'svcctl status --token-file wrong.token --addr "${DEAF/http:/https:}"',
]

/** Those of every help page; some would go on for ever, and some would ask. */
const examples = async (home: string): Promise<string[]> => {
  const surface = JSON.parse(await readFile(join(root, 'apps/svcctl/test/surface.snapshot.json'), 'utf8')) as Record<
    string,
    { flags: object }
  >
  const all: string[] = []
  for (const [command, { flags }] of Object.entries(surface)) {
    if (!('token-file' in flags)) continue
    const { stdout } = await runSvcctl([...command.split(' '), '--help'], { address: 'http://127.0.0.1:9', home })
    all.push(...stdout.split('\n').flatMap((line) => /^\s*\$ (svcctl [^[]*)$/.exec(line)?.[1] ?? []))
  }
  return all.map((line) => `timeout -s INT 20 ${line} </dev/null | tail -15`)
}

suite('a token at a terminal', { skip }, () => {
  let home: string
  let unit: Unit
  let deaf: Server
  let terminal: Terminal
  /** The screen after each line. */
  const seen: string[] = []
  /** Without the ends of lines, which the terminal breaks where it must. */
  const shown = (): string => seen.join('\n').replaceAll('\n', '')

  const run = async (line: string): Promise<void> => {
    await terminal.type(line)
    seen.push(await terminal.quiet())
  }

  before(async () => {
    home = await freshDirectory()
    unit = await startUnit({
      flags: ['--sandbox', 'off', '--rate-limit', 'off'],
      env: { SERVICE_API_TOKEN: tokens.right },
      token: tokens.right,
    })
    // Hangs up on whoever calls.
    deaf = createServer((socket) => socket.destroy())
    const port = await freePort()
    await new Promise<void>((resolve) => deaf.listen(port, '127.0.0.1', resolve))
    await mkdir(join(home, 'bin'))
    await mkdir(join(home, 'arguments'))
    const traced = `strace -f -qq --seccomp-bpf -e trace=execve,execveat -s 65536 -o '${home}/arguments/'$$`
    const program = `#!/bin/sh\nexec ${traced} '${process.execPath}' '${join(release, 'svcctl/svcctl.mjs')}' "$@"\n`
    await writeFile(join(home, 'bin/svcctl'), program)
    await chmod(join(home, 'bin/svcctl'), 0o755)
    await writeFile(join(home, 'right.token'), tokens.right, { mode: 0o600 })
    await writeFile(join(home, 'wrong.token'), tokens.wrong, { mode: 0o600 })
    await writeFile(join(home, 'passphrase'), passphrase, { mode: 0o600 })
    terminal = await openTerminal({
      cwd: home,
      env: {
        PATH: `${home}/bin:/usr/bin:/bin`,
        HOME: home,
        HISTFILE: join(home, 'history'),
        SERVICE_API_URL: unit.address,
        DEAF: `http://127.0.0.1:${port}`,
      },
    })
  })
  after(async () => {
    await terminal?.close()
    await new Promise((resolve) => (deaf === undefined ? resolve(undefined) : deaf.close(resolve)))
    await unit?.dispose()
    if (home !== undefined) await rm(home, { recursive: true, force: true })
  })

  test('is in no history, argument, screen, log or file, from whichever command', { timeout: isFull ? 900_000 : 180_000 }, async () => {
    // As a password is asked for: the shell shows and keeps nothing of it.
    await terminal.type('read -rsp "token: " SERVICE_API_TOKEN && export SERVICE_API_TOKEN; echo')
    await terminal.shows(/^token: *$/m)
    await terminal.typeUnseen(tokens.right)
    await terminal.quiet()
    for (const line of [...lines, ...(isFull ? await examples(home) : [])]) await run(line)
    await run('svcctl unfreeze --reason done; unset SERVICE_API_TOKEN; export SERVICE_API_TOKEN_FILE=right.token; svcctl status')
    await run('history -a')

    const secrets = { ...tokens, minted: (await readFile(join(home, 'alice.token'), 'utf8')).trim(), passphrase }
    const history = await readFile(join(home, 'history'), 'utf8')
    assert.ok(history.includes('svcctl doctor'), 'the shell keeps a history')
    assert.match(seen.join('\n'), /^mode +production$/m)
    assert.match(seen.join('\n'), /^Error: .*token/m)
    assert.deepEqual(found(secrets, shown()), [])
    assert.deepEqual(found(secrets, unit.lines.join('\n')), [])
    const own = new Set(['right.token', 'wrong.token', 'alice.token', 'passphrase'])
    let traces = 0
    for await (const { path, bytes } of stateFiles({ stateDir: home })) {
      if (own.has(path)) continue
      if (path.startsWith('arguments/')) traces += bytes.toString().split('svcctl.mjs').length - 1
      assert.deepEqual(found(secrets, bytes), [], path)
    }
    assert.ok(traces >= lines.length, `${traces} programs were watched`)
  })

  test('is found in each of them where somebody gives it away', async () => {
    await run(`svcctl status --token ${tokens.typed}`)
    await run('history -a')
    const away = { typed: tokens.typed }
    assert.deepEqual(found(away, shown()), ['typed'])
    const places = new Set<string>()
    for await (const { path, bytes } of stateFiles({ stateDir: home })) {
      if (found(away, bytes).length > 0) places.add(path.split('/')[0] ?? '')
    }
    assert.deepEqual([...places].toSorted(), ['arguments', 'history'])
    for (const encoding of encodings) assert.deepEqual(found(away, `x${Buffer.from(tokens.typed).toString(encoding)}y`), ['typed'])
  })
})
