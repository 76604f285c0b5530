// Where secrets of a start come from on a host: credentials of systemd, and a file of the environment that nobody else may read.
import assert from 'node:assert/strict'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { decidePlan } from '../../src/plan/decide.ts'
import { withCredentials } from '../../src/plan/variables.ts'

const token = 'a-token-of-more-than-thirty-two-characters'

suite('secrets of a start', () => {
  let directory = ''
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'credentials-'))
  })
  after(() => rm(directory, { recursive: true, force: true }))

  test('a credential stands for the variable that it is named after, with the id of its directory or without', async () => {
    await writeFile(join(directory, 'gatehouse_SERVICE_API_TOKEN'), `${token}\n`)
    await writeFile(join(directory, 'GITHUB_TOKEN'), 'ghp')
    await writeFile(join(directory, 'of-another-program'), 'x')
    const env = withCredentials({ PATH: '/bin', CREDENTIALS_DIRECTORY: directory })
    assert.deepEqual(Object.keys(env).toSorted(), ['CREDENTIALS_DIRECTORY', 'GITHUB_TOKEN', 'PATH', 'SERVICE_API_TOKEN'])
    const { plan } = decidePlan([], env, '0')
    assert.equal(plan.token, token)
    assert.equal(plan.variables['GITHUB_TOKEN'], 'ghp')
  })

  test('a secret that is given twice ends the start, and is not shown', () => {
    for (const twice of ['SERVICE_API_TOKEN', 'SERVICE_API_TOKEN_FILE'])
      assert.throws(
        () => withCredentials({ CREDENTIALS_DIRECTORY: directory, [twice]: token }),
        (error: Error) => error.message.includes(`by ${twice}`) && !error.message.includes(token),
      )
  })

  test('without credentials the environment is what it was', () => {
    const env = { PATH: '/bin' }
    assert.equal(withCredentials(env), env)
  })

  test('a file of the environment that others may read ends the start, with the line that mends it', async () => {
    const path = join(directory, 'gatehouse.env')
    const start = () => decidePlan([], { SERVICE_ENV_FILE: path }, '0')
    start()
    await writeFile(path, '', { mode: 0o600 })
    start()
    for (const mode of [0o640, 0o604, 0o620, 0o666]) {
      await chmod(path, mode)
      assert.throws(start, { exit: 78, detail: new RegExp(`expected mode 0600, got 0${mode.toString(8)}`), hint: /chmod 0600 / })
    }
  })
})
