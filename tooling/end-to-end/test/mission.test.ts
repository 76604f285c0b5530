// The whole mission by svcctl alone at a terminal, from the first run to a revoked tool. UPDATE=1 keeps the screens in docs/assets/screens.
import assert from 'node:assert/strict'
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { lacksTerminal, openTerminal, type Terminal } from '../src/terminal.ts'
import { release, root, startUnit, type Unit } from '../src/unit.ts'
import { waitFor } from '../src/wait-for.ts'

const secret = 'e'.repeat(64)
const screens = join(root, 'docs/assets/screens')

/** What differs from run to run stands as one word. */
const masked = (text: string, home: string): string =>
  text
    .replaceAll(home, '/home/alice')
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, '2026-01-02 03:04:05')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:8787')
    .replaceAll(/chg_\d{14}\.\d{9}/g, 'chg_20260102030405.000000001')
    .replaceAll(/chg_\d{14}(?!\.)/g, 'chg_20260102030405')
    .replaceAll(/\bses_[a-z2-7]{3,6}(?= )/g, 'ses_abc')
    .replaceAll(/ses_[a-z2-7]{13}/g, 'ses_abcdefghijklm')
    .replaceAll(/\b[0-9a-f]{64}\b/g, '5'.repeat(64))
    .replaceAll(/\b\d{1,2}[sm]\b/g, '2s')
    .replaceAll(/(?<=expires +)2026-01-02/g, '2026-01-09')
    .replaceAll(new RegExp(`(?<![\\w-])${userInfo().username}(?![\\w-])`, 'g'), 'anna')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '2026-01-02T03:04:05.678Z')

/** What was typed, of the screens that show what happens to be: the order of acts at one moment, processes, controls that are missing on this host. */
const byHost: ReadonlySet<string> = new Set(['17-audit', '18-verify', '19-status'])
const comparable = (name: string, text: string): string => {
  const [typed = ''] = text.split('\n')
  return byHost.has(name) ? typed : text.replaceAll(/ +/g, ' ')
}

suite('the mission at a terminal', { skip: lacksTerminal }, () => {
  let unit: Unit
  let terminal: Terminal
  let home = ''
  const seen: string[] = []

  /** One scene: a command, what is answered to its questions, and what the screen shows at its end. */
  const scene = async (name: string, line: string, answers: readonly (readonly [words: RegExp, keys: string])[] = []): Promise<string> => {
    await terminal.clear()
    await terminal.type(line)
    for (const [words, keys] of answers) {
      await terminal.shows(words)
      await terminal.type(keys)
    }
    const shown = await terminal.quiet()
    seen.push(shown)
    const kept = `${masked(shown, home).split('\n').slice(0, -1).join('\n').trimEnd()}\n`
    const file = join(screens, `${name}.txt`)
    if (process.env['UPDATE'] === '1') {
      await mkdir(screens, { recursive: true })
      await writeFile(file, kept)
    }
    const documented = await readFile(file, 'utf8')
    assert.equal(comparable(name, kept), comparable(name, documented), `${name} is what the documents show; keep it with UPDATE=1`)
    return shown
  }

  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'gatehouse-mission-'))
    unit = await startUnit({ flags: ['--dev', '--sandbox', 'none'], env: { SERVICE_API_TOKEN: secret }, token: secret })
    const bin = join(home, 'svcctl')
    await writeFile(bin, `#!/bin/sh\nexec '${process.execPath}' '${join(release, 'svcctl/svcctl.mjs')}' "$@"\n`)
    await chmod(bin, 0o755)
    await writeFile(join(home, 'question.md'), 'What is six times seven?\n')
    await writeFile(join(home, 'token'), secret, { mode: 0o600 })
    await symlink(unit.stateDir, join(home, 'state'))
    terminal = await openTerminal({
      cwd: home,
      env: { PATH: `${home}:/usr/bin:/bin`, HOME: home, SERVICE_API_URL: unit.address, SERVICE_API_TOKEN_FILE: join(home, 'token') },
    })
  })
  after(async () => {
    await terminal?.close()
    await unit?.dispose()
    await rm(home, { recursive: true, force: true })
  })

  test('the first run ends with a tool that was approved, was broken off in between, and has nothing to do again', async () => {
    assert.match(await scene('01-onboard-dry-run', 'svcctl onboard --dry-run'), /→ approval +would ask for one tool of sample/)
    await terminal.clear()
    await terminal.type('svcctl onboard')
    await terminal.shows(/Tool of sample for your agent/)
    await terminal.key('C-c')
    await terminal.quiet()
    await terminal.type('echo code $?')
    await terminal.shows(/^code 130$/m)
    const toured = await scene('02-onboard', 'svcctl onboard', [
      [/Tool of sample for your agent.*\]: *$/m, 'echo'],
      [/Approve chg_.*\[y\/N\] *$/m, 'y'],
    ])
    assert.match(toured, /✓ approval +dev-agent may call sample__echo/)
    assert.match(await scene('03-onboard-again', 'svcctl onboard'), /✓ approval +dev-agent has a grant of sample/)
  })

  test('the agent is talked to, and calls what was granted and nothing else', async () => {
    await waitFor('the agent to see its tool', 60_000, async () => {
      await terminal.clear()
      await terminal.type('svcctl chat dev-agent tools')
      return /^sample__echo/m.test(await terminal.quiet())
    })
    assert.match(await scene('04-chat', `svcctl chat dev-agent 'tool:sample__echo {"text":"hello"}'`), /^hello$/m)
    assert.match(await scene('05-refused', `svcctl chat dev-agent 'tool:sample__add {"a":1,"b":2}'`), /not-granted/)
    assert.match(await scene('06-explain', 'svcctl explain dev-agent sample__add'), /not/)
  })

  test('a document goes in and comes back', async () => {
    assert.match(
      await scene('07-files-put', 'svcctl files put dev-agent question.md in/'),
      /Gave question.md: 25 bytes at \/workspace\/in\/question.md/,
    )
    assert.match(await scene('08-files-ls', 'svcctl files ls dev-agent in'), /^question.md +file +25 .* yes$/m)
    await scene('09-files-get', 'svcctl files get dev-agent in/question.md --out answer.md')
    assert.equal(await readFile(join(home, 'answer.md'), 'utf8'), 'What is six times seven?\n')
  })

  test('a change is asked for, looked at and approved', async () => {
    await scene('10-submit', `svcctl change submit persona --group dev-agent --text 'You are brief.'`)
    assert.match(await scene('11-pending', 'svcctl change pending'), /^ID +KIND +GROUP +REQUESTED-BY +AGE +RISK/m)
    const approved = await scene('12-approve', 'svcctl change approve @1 --by alice', [[/Approve chg_.*\[y\/N\] *$/m, 'y']])
    assert.match(approved, /^applied$/m)
    assert.match(await scene('13-history', 'svcctl change history'), /persona/)
  })

  test('the tool is taken away, and the agent no longer has it', async () => {
    const asked = await scene('14-revoke', 'svcctl mcp revoke sample --group dev-agent')
    const id = /chg_\d{14}\.\d{9}/.exec(asked)?.[0] ?? ''
    assert.match(await scene('15-approve-revoke', `svcctl change approve ${id} --by alice --yes`), /^applied$/m)
    assert.match(await scene('16-chat-revoked', `svcctl chat dev-agent 'tool:sample__echo {"text":"hello"}'`), /refused/)
  })

  test('the journal has it all, and nothing that was shown or kept has the token', async () => {
    const audit = await scene('17-audit', 'svcctl audit list --limit 40')
    for (const stage of ['submit', 'approve', 'apply', 'files-put']) assert.match(audit, new RegExp(`\\b${stage}\\b`))
    await scene('18-verify', 'svcctl audit verify --state-dir state')
    await scene('19-status', 'svcctl status')
    await scene('20-group', 'svcctl group show dev-agent')
    for (const text of [...seen, ...unit.lines]) assert.ok(!text.includes(secret))
    for (const text of seen) assert.doesNotMatch(text, /\u001b/)
  })
})
