// The tarball and its script, of one release: the same bytes whoever packs it, and what is installed of them.
import { after, before, suite } from 'node:test'
import { building } from './building.ts'
import { installing } from './installing.ts'
import { type Made, makeRelease, removeRelease } from './made.ts'

let made: Made
before(async () => {
  made = await makeRelease()
})
after(() => removeRelease(made))
const given = (): Made => made

suite('a release', building(given))
suite('install.sh', installing(given))
