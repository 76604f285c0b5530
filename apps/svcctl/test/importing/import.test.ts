// svcctl mcp import: what each server of a client becomes, and that no secret leaves the file.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { McpRegister, ServerName, toServiceError } from '@gatehouse/contracts'
import { fc } from '@gatehouse/testkit/random'
import * as v from 'valibot'
import { propose, type Proposal } from '../../src/importing/propose.ts'
import { readConfiguration, stripComments } from '../../src/importing/read-file.ts'
import { findServers } from '../../src/importing/sources.ts'
import { svcctlMany } from '../svcctl.ts'

const proposed = (definition: unknown, name = 'one'): Proposal => {
  const [only] = propose([{ client: 'file', path: 'mcp.json', name, definition }], 'GROUP')
  assert.ok(only !== undefined)
  return only
}

const become = (definition: unknown): readonly [string, string | undefined] => {
  const { becomes, package: packed } = proposed(definition)
  return [becomes, packed]
}

test('command lines of package runners become packages of their registry', () => {
  const lines: readonly (readonly [line: string, kind: string, packed: string])[] = [
    ['npx -y @scope/server@1.2.3 /data', 'npm', 'npm:@scope/server@1.2.3'],
    ['npx @scope/server', 'npm', 'npm:@scope/server@VERSION'],
    ['npx --package @scope/tools@1.0.0 serve', 'npm', 'npm:@scope/tools@1.0.0'],
    ['/usr/local/bin/npx -y server@latest', 'npm', 'npm:server@VERSION'],
    ['cmd /c npx -y server@1.0.0', 'npm', 'npm:server@1.0.0'],
    ['pnpm dlx server@1.0.0', 'npm', 'npm:server@1.0.0'],
    ['uvx mcp-server-git==2026.1.1 --repository /data', 'pypi', 'pypi:mcp-server-git@2026.1.1'],
    ['uvx mcp-server-git@2026.1.1', 'pypi', 'pypi:mcp-server-git@2026.1.1'],
    ['uvx mcp-server-time', 'pypi', 'pypi:mcp-server-time'],
    ['uv tool run --from mcp-tools@1.0 serve', 'pypi', 'pypi:mcp-tools@1.0'],
    ['docker run -i --rm --name x registry.example/a/b:1 serve --x', 'oci', 'oci:registry.example/a/b:1'],
    ['podman run --rm -it -e A=b --network host b', 'oci', 'oci:b'],
  ]
  for (const [line, kind, packed] of lines) {
    const [command, ...args] = line.split(' ')
    assert.deepEqual(become({ command, args }), [kind, packed], line)
  }
})

test('the next command has the arguments, the program, the variables and the volumes of the command line', () => {
  const args = '-y --package @scope/tools@1.0.0 serve /data --flag'.split(' ')
  assert.equal(
    proposed({ command: 'npx', args, env: { LOG_LEVEL: 'debug' } }).next,
    'svcctl mcp pack npm:@scope/tools@1.0.0 --bin serve --arg /data --arg=--flag --env LOG_LEVEL=debug > one.json',
  )
  const run = 'run -i --rm -e LOG_LEVEL -v /srv/a:/a:ro --mount type=bind,src=/srv/b,dst=/b --entrypoint /bin/x a/b:1 serve'.split(' ')
  const { next, notes } = proposed({ command: 'docker', args: run, env: { LOG_LEVEL: 'debug', UNUSED: '1' } })
  assert.equal(
    next,
    'svcctl mcp pack oci:a/b:1 --entrypoint /bin/x --arg serve --env LOG_LEVEL=debug --volume /srv/a:/a:ro --volume /srv/b:/b:rw > one.json',
  )
  assert.deepEqual(notes, [])
  assert.deepEqual(proposed({ command: 'docker', args: ['run', '--privileged', '--network=host', 'a/b:1'] }).notes, [
    'left out: --privileged, --network',
  ])
})

test('an address becomes a remote entry, also behind mcp-remote, and one that the catalog does not take is refused with the reason', () => {
  const entry = { transport: 'http', url: 'https://mcp.example.org/mcp', headers: { Authorization: 'Bearer ${ONE_TOKEN}' } }
  assert.deepEqual(proposed({ type: 'http', url: entry.url, headers: { Authorization: 'Bearer abc' } }).entry, entry)
  const args = ['-y', 'mcp-remote@1.0.0', entry.url, '--header', 'Authorization: Bearer abc']
  assert.deepEqual(proposed({ command: 'npx', args }).entry, entry)
  assert.match(proposed({ type: 'sse', url: entry.url }).notes[0] ?? '', /older SSE transport/)
  assert.match(proposed({ url: 'http://mcp.example.org/mcp' }).notes[0] ?? '', /must use https/)
  assert.match(proposed({ url: 'https://mcp.example.org/mcp?api_key=abc' }).notes[0] ?? '', /holds a secret/)
  for (const definition of [null, [], {}, { command: 1 }, { command: 'x', args: 'y' }, { command: ' ' }])
    assert.equal(proposed(definition).becomes, 'refused', JSON.stringify(definition))
})

test('a complete entry is one that a change of kind mcp_register takes', () => {
  for (const definition of [
    { command: '/opt/serve', args: ['--x'], env: { LOG_LEVEL: 'debug', API_KEY: 'abc', PATH: '/x' } },
    { url: 'https://mcp.example.org/mcp', headers: { 'X-Key': 'abc' } },
  ]) {
    const { name, entry } = proposed(definition)
    assert.ok(v.is(McpRegister, { name, ...entry }))
  }
})

test('references of clients become references of the catalog, and two values never share a variable', () => {
  const env = { A: '${env:my_var}', B: 'Bearer ${input:api-key}', C: '${FROM_ENV:-s3cret-default}', TOKEN: 'first' }
  const definition = { command: 'x', env }
  const [one, two] = propose(
    [
      { client: 'vscode', path: 'a', name: 'one', definition },
      { client: 'vscode', path: 'b', name: 'two', definition: { command: 'x', env: { TOKEN: 'second', OTHER_TOKEN: 'first' } } },
    ],
    'GROUP',
  )
  assert.ok(one?.entry?.transport === 'stdio' && two?.entry?.transport === 'stdio')
  assert.deepEqual(one.entry.env, { A: '${my_var}', B: 'Bearer ${API_KEY}', C: '${FROM_ENV}', TOKEN: '${TOKEN}' })
  assert.deepEqual(two.entry.env, { TOKEN: '${TWO_TOKEN}', OTHER_TOKEN: '${OTHER_TOKEN}' })
  assert.deepEqual(two.variables, ['OTHER_TOKEN', 'TWO_TOKEN'])
  const { entry } = proposed({ command: 'x', env: { SERVICE_TOKEN: 'abc' } })
  assert.deepEqual(entry?.transport === 'stdio' && entry.env, { SERVICE_TOKEN: '${ONE_SERVICE_TOKEN}' })
})

test('names are valid and distinct without case, whatever the client calls its servers', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.string(), fc.constantFrom('a', 'A', 'a__b', '__proto__', '', '-', 'é', 'a-2'))), (names) => {
      const servers = names.map((name, index) => ({ client: 'file', path: 'x', name, definition: { command: `/bin/${index}` } }))
      const made = propose(servers, 'GROUP').map(({ name }) => name)
      assert.ok(made.every((name) => v.is(ServerName, name)))
      assert.equal(new Set(made.map((name) => name.toLowerCase())).size, names.length)
    }),
  )
})

test('a server that several clients configure alike is proposed once', () => {
  const definition = { command: 'npx', args: ['a@1.0.0'] }
  const servers = ['cursor', 'vscode'].map((client) => ({ client, path: client, name: 'a', definition }))
  const [only, ...others] = propose(servers, 'GROUP')
  assert.deepEqual(others, [])
  assert.deepEqual(
    only?.from.map(({ client }) => client),
    ['cursor', 'vscode'],
  )
})

const secret = fc
  .tuple(fc.constantFrom('', 'sk-', 'ghp_', 'xoxb-'), fc.stringMatching(/^[A-Za-z0-9]{12}[0-9][a-z][A-Z0-9a-z]{14}$/))
  .map(([issuer, random]) => `${issuer}${random}`)

test('no secret in an environment, a header, an argument or an address is in a proposal', () => {
  const places = (text: string): object[] => [
    { command: 'x', env: { ANY: text } },
    { command: 'x', env: { ANY: `\${env:A} ${text}` } },
    { command: 'npx', args: ['a@1.0.0', '--api-key', text] },
    { command: 'npx', args: ['a@1.0.0', `--token=${text}`] },
    { command: 'uvx', args: ['a', `API_KEY=${text}`] },
    { command: 'x', args: [`postgres://user:${text}@db.example/x`] },
    { command: 'x', args: ['--header', `Authorization: Bearer ${text}`] },
    { command: 'docker', args: ['run', '-e', `A=${text}`, 'a/b:1', `https://a.example/?key=${text}`] },
    { command: 'docker', args: ['run', '-e', 'A', 'a/b:1'], env: { A: text } },
    { url: 'https://a.example/mcp', headers: { 'X-Any': text, Authorization: `Basic ${text}`, 'User-Agent': text } },
    { url: `https://user:${text}@a.example/mcp` },
    { url: `https://a.example/mcp?token=${text}` },
    { url: `https://a.example/${text}/mcp` },
    { command: 'npx', args: ['mcp-remote', 'https://a.example/mcp', '--header', `X-Any: ${text}`] },
  ]
  fc.assert(
    fc.property(secret, (text) => {
      for (const definition of places(text)) {
        const written = JSON.stringify(proposed(definition))
        assert.ok(!written.includes(text), JSON.stringify(definition))
      }
    }),
  )
  for (const weak of ['hunter2', 'letmein'])
    for (const definition of places(weak).slice(0, 9))
      assert.ok(!JSON.stringify(proposed(definition)).includes(weak), JSON.stringify(definition))
})

test('comments and trailing commas are read, and nothing inside a text is taken for one', () => {
  const text = '{ // one\n "a": "// no", /* two\n */ "b": ["\\"/* no */", 1, // three\n ], }'
  assert.deepEqual(JSON.parse(stripComments(text)), { a: '// no', b: ['"/* no */', 1] })
  assert.equal(stripComments(text).split('\n').length, text.split('\n').length)
})

suite('svcctl mcp import', () => {
  let home: string
  const put = (path: string, text: string): string => {
    const file = join(home, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    return file
  }
  const run = (...lines: string[][]) =>
    svcctlMany(
      lines.map((words) => ['mcp', 'import', ...words]),
      { env: { HOME: home }, cwd: home },
    )

  before(() => {
    home = mkdtempSync(join(tmpdir(), 'svcctl-import-'))
  })
  after(() => rmSync(home, { recursive: true, force: true }))

  test('finds the files of all clients at their places, and says where it looked when there is none', async () => {
    await assert.rejects(findServers(undefined, { HOME: join(home, 'empty') }), {
      code: 'not-found',
      detail: /claude_desktop_config\.json.*\.claude\.json.*\.cursor\/mcp\.json/s,
    })
    put('.config/Claude/claude_desktop_config.json', '{"mcpServers":{"desktop":{"command":"npx","args":["a@1.0.0"]}}}')
    put(
      '.claude.json',
      '{"mcpServers":{"user":{"command":"uvx","args":["b==1.0"]}},"projects":{"/x":{"mcpServers":{"project":{"command":"c"}}}}}',
    )
    put('.cursor/mcp.json', '{"mcpServers":{"far":{"url":"https://mcp.example.org/mcp"}}}')
    put(
      '.config/Code/User/mcp.json',
      '{"inputs":[{"id":"k","type":"promptString","password":true}],"servers":{"code":{"command":"d","env":{"X":"${input:k}"}}}}',
    )
    put(
      '.config/Code/User/settings.json',
      '{ // editor\n "mcp": { "servers": { "old": { "type": "http", "url": "https://old.example.org" } } }, }',
    )
    const [ended] = await run([])
    assert.equal(ended?.code, 0, ended?.stderr)
    assert.deepEqual(
      ended.stdout
        .trim()
        .split('\n')
        .map((line) => line.split('\t').slice(0, 3).join(' ')),
      [
        'desktop claude-desktop npm:a@1.0.0',
        'user claude-code pypi:b@1.0',
        'project claude-code program c',
        'far cursor remote https://mcp.example.org/mcp',
        'code vscode program d',
        'old vscode remote https://old.example.org',
      ],
    )
    assert.match(ended.stderr, /^Set in the environment of the unit: K$/m)
  })

  test('writes entries only into the named directory, readable by their owner, and over no file', async () => {
    const far = { url: 'https://mcp.example.org/mcp', headers: { 'X-Key': 's3cret' } }
    const file = put('one.json', JSON.stringify({ mcpServers: { far, near: { command: 'npx', args: ['a@1.0.0'] } } }))
    const directory = join(home, 'entries')
    const [first, again] = await run([file, '--write', directory, '--group', 'desk'], [file, '--write', directory])
    assert.deepEqual(readdirSync(directory), ['far.json'])
    assert.equal(statSync(join(directory, 'far.json')).mode & 0o777, 0o600)
    const written: unknown = JSON.parse(readFileSync(join(directory, 'far.json'), 'utf8'))
    assert.deepEqual(written, { name: 'far', transport: 'http', url: far.url, headers: { 'X-Key': '${FAR_X_KEY}' } })
    assert.ok(v.is(McpRegister, written))
    assert.ok(first !== undefined && first.stdout.includes(`svcctl change submit mcp_register --group desk --file ${directory}/far.json`))
    assert.ok(first.stdout.includes(` > ${directory}/near.json`))
    assert.equal(again?.code, 5)
  })

  test('says what is wrong with a file, and repeats nothing of it', async () => {
    const cases: readonly (readonly [text: string, words: RegExp])[] = [
      ['{ "mcpServers": { "a": s3cret } }', /expected JSON, with or without comments/],
      ['{ "mcpServers": {} "s3cret" }', /at line 1, column 20/],
      ['{ "other": "s3cret" }', /expected mcpServers, or servers/],
      ['[]', /expected mcpServers, or servers/],
      ['{ "mcpServers": ["s3cret"] }', /expected an object at mcpServers/],
      [`{ "mcpServers": ${'['.repeat(5000)} }`, /levels/],
    ]
    for (const [text, words] of cases) {
      const error = await findServers(put('wrong.json', text), {}).then(
        () => assert.fail(text),
        (reason: unknown) => toServiceError(reason),
      )
      assert.equal(error.code, 'malformed')
      assert.match(error.detail ?? '', words)
      assert.ok(!`${error.message} ${error.detail} ${error.hint}`.includes('s3cret'), text)
    }
    await assert.rejects(findServers(join(home, 'none.json'), {}), { code: 'invalid', detail: /there is none/ })
  })

  test('refuses a file that is too large before it is read', async () => {
    const file = put('large.json', '{}')
    truncateSync(file, 17 * 1024 * 1024)
    await assert.rejects(readConfiguration(file), { code: 'too-large', detail: /16777216/ })
  })
})
