// Follows a page of the documents word for word, in an empty directory with an empty home, on a port of its own.
import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { freshDirectory, freePort, release, root } from '../unit.ts'
import { listens } from '../listens.ts'
import { removeState } from '../remove-state.ts'
import { waitFor } from '../wait-for.ts'
import { type Step, stepsOf } from './page.ts'
import { openTerminal, type Place, type Running, startIn, type Terminal } from './terminal.ts'

export interface Reading {
  /** Where the reader begins; default an empty directory. */
  readonly directory?: string
  /** A program with its arguments that opens each terminal on another root. The reader finds nothing of this checkout there. */
  readonly inside?: readonly string[]
  /** What the reader already has in every terminal. */
  readonly env?: Readonly<Record<string, string>>
  /** What a reader puts in the place of a word of the page, out of what is in the reader's home. */
  readonly places?: Readonly<Record<string, string | ((home: string) => string)>>
  /** What the reader has running before the first line, and may stop and start again. */
  readonly already?: string
  /** A unit that runs already, and is not the page's to stop. */
  readonly address?: string
  /** Where what is started beside the unit listens, by its name. */
  readonly listens?: Readonly<Record<string, number>>
  /** Instead of a look at this host's ports: whether what was started by that name answers where the reader is. */
  readonly answers?: (name: string) => Promise<boolean>
  /** Words of each block that is not followed, and why not. */
  readonly notRun?: Readonly<Record<string, string>>
  /** Looked at before each step. */
  readonly before?: (step: Step) => Promise<void>
}

interface Reader {
  place: Place
  readonly address: string
  readonly terminal: Terminal
  readonly answers: (name: string) => Promise<boolean>
  /** By name; `unit` is the one that the address is of. */
  readonly running: Map<string, Running>
  /** Of the block before; of a unit that was started there, nothing yet. */
  last: string | undefined
}

/** A first start installs and builds. */
const patience = 900_000

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

/** The line that is not found behind the one before it. */
const missingOf = (said: string, expected: string): string | undefined => {
  let rest = said
  for (const line of expected.split('\n').map((each) => each.trim())) {
    const found = new RegExp(line.split('…').map(escaped).join('[^\n]*').replaceAll(/ +/g, '[ \t]+')).exec(rest)
    if (found === null) return line
    rest = rest.slice(found.index + found[0].length)
  }
  return undefined
}

/** A unit goes on talking, so what it says is waited for. */
const see = async ({ last, running }: Reader, expected: string, where: string): Promise<void> => {
  const said = (): string => last ?? running.get('unit')?.said() ?? ''
  const isShown = (): boolean => missingOf(said(), expected) === undefined
  if (last === undefined) await waitFor(`what ${where} shows`, 60_000, isShown).catch(() => undefined)
  assert.ok(isShown(), `${where}: expected the line\n${missingOf(said(), expected)}\nin what was shown:\n${said()}`)
}

/** What a person sees a moment later: every process of the unit is there. */
const isWhole = async (address: string): Promise<boolean> => {
  const answer = await fetch(`${address}/readyz`)
  return answer.status === 200 && !/"(gateway|runner|broker|model-proxy|channels)"/.test(await answer.text())
}

const answersHere =
  (address: string, ports: Readonly<Record<string, number>>) =>
  async (name: string): Promise<boolean> => {
    if (name === 'unit') return isWhole(address)
    const port = ports[name]
    return port === undefined || (await listens(port))
  }

const start = async (reader: Reader, step: { readonly text: string; readonly name: string }, where: string): Promise<void> => {
  const { text, name } = step
  await reader.running.get(name)?.stop()
  const running = startIn(reader.place, text)
  reader.running.set(name, running)
  await waitFor(`the ${name} of ${where} to answer`, patience, async () => !running.isRunning() || (await reader.answers(name)))
  assert.ok(running.isRunning(), `${where} ended:\n${running.said()}`)
}

const perform = async (reader: Reader, step: Step, where: string): Promise<void> => {
  switch (step.does) {
    case 'save':
      return writeFile(join(reader.place.directory, step.file), step.text)
    case 'leave':
      return undefined
    case 'show':
      return see(reader, step.text, where)
    case 'start':
      reader.last = undefined
      return start(reader, step, where)
    case 'type': {
      if (step.stopped) await reader.running.get('unit')?.stop()
      const { code, said, directory } = await reader.terminal.type(step.text, step.ends)
      reader.place = { ...reader.place, directory }
      reader.last = said
      const others = [...reader.running.values()].map((running) => running.said()).join('\n')
      assert.equal(code, step.ends, `${where}:\n${step.text}\n${said}\n${others}`)
    }
  }
}

const filled = (step: Step, { places, address, home }: { places: Reading['places']; address: string; home: string }): Step => {
  let { text } = step
  for (const [word, value] of Object.entries(places ?? {}))
    if (text.includes(word)) text = text.replaceAll(word, typeof value === 'string' ? value : value(home))
  return { ...step, text: text.replaceAll('127.0.0.1:8787', address.replace('http://', '')) }
}

const openReader = async (home: string, { directory = join(home, 'here'), env = {}, ...reading }: Reading): Promise<Reader> => {
  const { inside, address, listens = {} } = reading
  if (inside === undefined) await mkdir(directory, { recursive: true })
  const own = address ?? `http://127.0.0.1:${await freePort()}`
  const place: Place = {
    directory,
    inside,
    env:
      inside === undefined
        ? {
            HOME: home,
            TERM: 'dumb',
            LC_ALL: 'C.UTF-8',
            SERVICE_API_URL: own,
            SERVICE_API_ADDR: own.replace('http://', ''),
            ...env,
            PATH: [join(release, 'bin'), env['PATH'] ?? process.env['PATH']].join(':'),
          }
        : env,
  }
  return {
    place,
    address: own,
    terminal: openTerminal(place),
    answers: reading.answers ?? answersHere(own, listens),
    running: new Map(),
    last: undefined,
  }
}

/** What is left out is left out by name, and whoever leaves it out says why. */
const stepsToTake = (page: string, steps: readonly Step[], notRun: Readonly<Record<string, string>>): Step[] => {
  const names = Object.keys(notRun)
  for (const name of names)
    assert.ok(
      steps.some(({ text }) => text.includes(name)),
      `${page}: expected a block with ${name}, which is not followed`,
    )
  const isLeft = ({ text }: Step): boolean => names.some((name) => text.includes(name))
  const unexplained = steps.find((step) => step.does === 'leave' && !isLeft(step))
  assert.ok(unexplained === undefined, `${page}:${unexplained?.line}: expected a reason why this is not followed, got none`)
  return steps.filter((step) => !isLeft(step))
}

/** Rejects with the line of the page that does not do what the page says. `look` is called while everything still runs. */
export const follow = async (page: string, reading: Reading = {}, look?: (address: string) => Promise<void>): Promise<void> => {
  const steps = stepsOf(await readFile(resolve(root, page), 'utf8'))
  assert.ok(steps.length > 0, `${page}: expected blocks that a test follows, got none`)
  const toTake = stepsToTake(page, steps, reading.notRun ?? {})
  const home = await freshDirectory()
  const reader = await openReader(home, reading)
  try {
    if (reading.already !== undefined) await start(reader, { text: reading.already, name: 'unit' }, `what runs before ${page}`)
    for (const step of toTake) {
      const asked = filled(step, { places: reading.places, address: reader.address, home })
      await reading.before?.(asked)
      await perform(reader, asked, `${page}:${step.line}`)
    }
    await look?.(reader.address)
  } finally {
    for (const running of [...reader.running.values()].toReversed()) await running.stop()
    await reader.terminal.close()
    await removeState(home)
  }
}
