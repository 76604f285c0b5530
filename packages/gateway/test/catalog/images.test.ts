// An entry is pinned to what its image is when it is saved, on the word of the runner, and by that is the server that it is.
import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { mask } from '@gatehouse/contracts'
import { carry, createGroup, fails, token } from '../fixtures/people.ts'
import { putServer, server } from '../fixtures/tools.ts'
import { context, openUnit, removeDirectory, type Unit } from '../fixtures/unit.ts'

const one = `sha256:${'1'.repeat(64)}`
const two = `sha256:${'2'.repeat(64)}`
const boxed = { transport: 'stdio', command: '/bin/server', args: [], image: 'box:1', env: { TOKEN: 'a value' } }

const units: Unit[] = []
after(async () => {
  for (const each of units) {
    await each.close()
    await removeDirectory(each.dir)
  }
})

let unit: Unit
/** What the runner will say; absent references are not on the host, and no runner is there without any. */
let images: Record<string, string> | undefined

let asked: string[] = []

/** Answers as the runner does, when it is asked. */
const listen = (): void => {
  unit.gateway.subscribers.subscribe({
    controlPlane: { publish: () => undefined },
    broker: { publish: () => undefined },
    runner: {
      publish: (event, payload) => {
        if (event !== 'images-wanted') return
        const { images: wanted } = payload as { images: string[] }
        asked.push(...wanted)
        if (images === undefined) return
        const seen = wanted.map((image) => ({ image, ...(images?.[image] === undefined ? {} : { id: images[image] }) }))
        setImmediate(() => void unit.gateway.runner.imagesSighted({ images: seen }, context))
      },
    },
  })
}

beforeEach(async () => {
  images = { 'box:1': one }
  asked = []
  unit = await openUnit({ evidenceWait: 1_000 })
  units.push(unit)
  listen()
})

const pinOf = async (name: string): Promise<string | undefined> => {
  const { entry } = await unit.gateway.controlPlane.server({ token, name: server(name) }, context)
  return entry.transport === 'stdio' ? entry.imageID : undefined
}

test('an entry is pinned when it is saved, and shows it', async () => {
  await putServer(unit, 'box', boxed)
  assert.equal(await pinOf('box'), one)
  const [stored] = await unit.gateway.broker.catalog({}, context)
  assert.equal(stored?.entry.transport === 'stdio' && stored.entry.imageID, one)
})

test('a name that has moved makes another server of the entry, once it is saved again, and asks for its values again', async () => {
  const before = await putServer(unit, 'box', boxed)
  images = { 'box:1': two }
  assert.equal(await pinOf('box'), one)
  const error = await fails(putServer(unit, 'box', { ...boxed, env: { TOKEN: mask } }))
  assert.deepEqual(
    error.errors?.map(({ pointer }) => pointer),
    ['/env/TOKEN'],
  )
  const now = await putServer(unit, 'box', boxed)
  assert.equal(await pinOf('box'), two)
  assert.notEqual(now.digest, before.digest)
})

test('an id that was sent counts for nothing beside what the runner says', async () => {
  await putServer(unit, 'box', { ...boxed, imageID: two })
  assert.equal(await pinOf('box'), one)
})

test('an image that is not there, or that nobody looks at, is not pinned; what was pinned stays', async () => {
  await putServer(unit, 'absent', { ...boxed, image: 'nowhere:1' })
  assert.equal(await pinOf('absent'), undefined)
  await putServer(unit, 'box', boxed)
  images = {}
  const again = await putServer(unit, 'box', { ...boxed, env: { TOKEN: mask } })
  assert.equal(await pinOf('box'), one)
  assert.equal(again.created, false)
  await putServer(unit, 'box', { ...boxed, image: 'other:1' })
  assert.equal(await pinOf('box'), undefined)
})

test('two that ask for the same image at once both hear of it', async () => {
  await Promise.all([putServer(unit, 'a', boxed), putServer(unit, 'b', boxed)])
  assert.deepEqual([await pinOf('a'), await pinOf('b')], [one, one])
})

test('nobody is asked about an entry without an image, and where nobody answers nothing is pinned', async () => {
  await putServer(unit, 'plain', { ...boxed, image: '' })
  assert.equal(await pinOf('plain'), undefined)
  assert.deepEqual(asked, [])
  images = undefined
  await putServer(unit, 'box', boxed)
  assert.equal(await pinOf('box'), undefined)
  assert.deepEqual(asked, ['box:1'])
})

test('a registered server is pinned when it is applied', async () => {
  await createGroup(unit, 'team')
  const change = await carry(unit, ['mcp_register', 'team', { name: 'fresh', ...boxed }])
  assert.equal(change.state, 'applied')
  assert.equal(await pinOf('fresh'), one)
})

test('volumes and data belong to what a server is', async () => {
  const plain = await putServer(unit, 'box', boxed)
  const lent = await putServer(unit, 'box', { ...boxed, volumes: [{ source: '/srv/a', target: '/a', mode: 'ro' }] })
  const kept = await putServer(unit, 'box', { ...boxed, data: true })
  assert.equal(new Set([plain.digest, lent.digest, kept.digest]).size, 3)
})

const wrong: readonly [what: string, parts: object, pointer: string][] = [
  ['a relative source', { volumes: [{ source: 'a', target: '/a' }] }, '/volumes/0/source'],
  ['a source that climbs', { volumes: [{ source: '/srv/../etc', target: '/a' }] }, '/volumes/0/source'],
  ['a source with a comma', { volumes: [{ source: '/srv/a,readonly=false', target: '/a' }] }, '/volumes/0/source'],
  ['a reference in a source', { volumes: [{ source: '/srv/${A}', target: '/a' }] }, '/volumes/0/source'],
  ['the root as a target', { volumes: [{ source: '/srv/a', target: '/' }] }, '/volumes/0/target'],
  ['/proc as a target', { volumes: [{ source: '/srv/a', target: '/proc/x' }] }, '/volumes/0/target'],
  ['/data as a target', { volumes: [{ source: '/srv/a', target: '/data' }] }, '/volumes/0/target'],
  ['a mode that is none', { volumes: [{ source: '/srv/a', target: '/a', mode: 'rx' }] }, '/volumes/0/mode'],
  ['an id that is none', { imageID: 'latest' }, '/imageID'],
]
for (const [what, parts, pointer] of wrong) {
  test(`refuses ${what} at its field`, async () => {
    const error = await fails(putServer(unit, 'box', { ...boxed, ...parts }))
    assert.ok(
      error.errors?.some((issue) => issue.pointer === pointer),
      JSON.stringify(error.errors),
    )
  })
}

test('an agent or a requester proposes no paths of the host and no id', async () => {
  await createGroup(unit, 'team')
  for (const parts of [{ volumes: [{ source: '/srv/a', target: '/a', mode: 'ro' }] }, { imageID: one }])
    assert.equal((await fails(carry(unit, ['mcp_register', 'team', { name: 'fresh', ...boxed, ...parts }]))).code, 'invalid')
})
