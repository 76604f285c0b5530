// Packages of PyPI as they are named, unpacked and started; and uv's refusals in plain words.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { scratch } from '@gatehouse/testkit/scratch'
import { parsePythonSpec } from '../src/resolve.ts'
import { findUv, reasonOf } from '../src/uv.ts'
import { readWheels, startFile } from '../src/wheels.ts'

test('a package is named by its name, its extras and one exact version', () => {
  assert.deepEqual(parsePythonSpec('mcp-server[x,y]@2026.1.1'), { requirement: 'mcp-server[x,y]', name: 'mcp-server', version: '2026.1.1' })
  assert.equal(parsePythonSpec('a').version, undefined)
  for (const text of [
    '',
    'a@latest',
    'a@>=1',
    '-r x',
    'a @ file:///x',
    'a==1',
    '../x@1',
    'a@1; os_name',
    'https://a.example/x.whl',
    '--index-url=x',
  ])
    assert.throws(() => parsePythonSpec(text), { code: 'invalid', detail: /pypi:<name>@<exact version>/ }, text)
})

const unpacked = async (t: TestContext, entryPoints: string | undefined): Promise<string> => {
  const target = await scratch(t)
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(join(target, path)), { recursive: true })
    writeFileSync(join(target, path), text)
  }
  put('my_server-1.2.dist-info/METADATA', 'Metadata-Version: 2.4\nName: My.Server\nVersion: 1.2\n\nName: of the description\n')
  put(
    'my_server-1.2.dist-info/WHEEL',
    'Wheel-Version: 1.0\nTag: cp313-cp313-manylinux_2_17_x86_64\nTag: cp313-cp313-manylinux2014_x86_64\n',
  )
  put('my_server-1.2.dist-info/RECORD', 'my_server/__init__.py,sha256=x,1\nmy_server/_core.cpython-313.so,sha256=y,2\n')
  put('my_server/__init__.py', 'raise SystemExit("never imported")\n')
  if (entryPoints !== undefined) put('my_server-1.2.dist-info/entry_points.txt', entryPoints)
  return target
}

const start = (target: string, bin?: string): Promise<string> =>
  startFile(target, parsePythonSpec('my-server@1.2'), { path: '/app/packages', bin })

test('reads versions, platforms and machine code of wheels from their records', async (t) => {
  const { packages, bytes } = await readWheels(await unpacked(t, undefined))
  const tags = ['cp313-cp313-manylinux_2_17_x86_64', 'cp313-cp313-manylinux2014_x86_64']
  assert.deepEqual(packages, [{ name: 'My.Server', version: '1.2', tags, binaries: ['my_server/_core.cpython-313.so'] }])
  assert.ok(bytes > 100)
})

test('starts the program of the package, the only one, or the one that was chosen', async (t) => {
  const two = await unpacked(
    t,
    '[console_scripts]\nother = my_server.other:app.run\nmy-server = my_server:main\n\n[gui_scripts]\nw = x:y\n',
  )
  assert.match(await start(two), /site\.addsitedir\("\/app\/packages"\)[^]*from my_server import main\n\nsys\.exit\(main\(\)\)\n$/)
  assert.match(await start(two, 'other'), /from my_server\.other import app\n\nsys\.exit\(app\.run\(\)\)\n$/)
  assert.match(await start(await unpacked(t, '[console_scripts]\nserve = my_server:main [extra]\n')), /sys\.argv\[0\] = "serve"/)
})

test('names the programs where it cannot choose, and puts no text of a package into the file', async (t) => {
  await assert.rejects(start(await unpacked(t, '[console_scripts]\na = m:a\nb = m:b\n')), {
    code: 'invalid',
    detail: /a, b/,
    hint: /--bin a/,
  })
  for (const text of [undefined, '', '[console_scripts]\nmy-server = os:system("x")\n', '[console_scripts]\nmy-server = m:a\\nimport os\n'])
    await assert.rejects(start(await unpacked(t, text)), { code: 'invalid', detail: /has none/ })
})

test('says what uv says, without the words that are for users of uv', () => {
  const said =
    'error: No solution found when resolving dependencies\n  cause: Because a==1 has no usable wheels and you require a==1, we can conclude that your requirements are unsatisfiable.\n'
  assert.equal(reasonOf(said), 'Because a==1 has no usable wheels')
})

test('takes registries, proxies and certificates of the environment, and nothing that changes what is verified', async (t) => {
  const directory = await scratch(t)
  writeFileSync(join(directory, 'uv'), '', { mode: 0o755 })
  const { file, env } = await findUv({
    PATH: `relative:${directory}`,
    PIP_INDEX_URL: 'https://pip.example/simple',
    UV_DEFAULT_INDEX: 'https://uv.example/simple',
    PIP_CERT: '/ca.pem',
    UV_NO_VERIFY_HASHES: '1',
    UV_NO_BINARY: '1',
    UV_PYTHON: '/evil',
    SECRET: 'x',
  })
  assert.equal(file, join(directory, 'uv'))
  assert.deepEqual(env, { UV_DEFAULT_INDEX: 'https://uv.example/simple', SSL_CERT_FILE: '/ca.pem', PATH: '/usr/bin:/bin' })
  await assert.rejects(findUv({ PATH: '/nonexistent' }), { code: 'invalid', hint: /pip install uv/ })
})
