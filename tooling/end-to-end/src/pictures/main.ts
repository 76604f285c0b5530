// pnpm pictures [NAME …] [-- FLAGS]: takes the pictures of the console anew, all or some, on a unit with these flags.
import { openBrowser } from '../browser.ts'
import { openScene } from './scene.ts'
import { takeAll } from './take.ts'

const given = process.argv.slice(2)
const flags = given.filter((argument) => argument.startsWith('--'))
const scene = await openScene(flags.length > 0 ? flags : ['--sandbox=bubblewrap'])
try {
  const browser = await openBrowser()
  const wrong = await takeAll(
    browser,
    scene,
    given.filter((argument) => !argument.startsWith('--')),
  )
  await browser.close()
  process.stdout.write('dist/pictures holds all, docs/assets/pictures those of the documents.\n')
  for (const line of wrong) process.stderr.write(`${line}\n`)
  process.exitCode = wrong.length === 0 ? 0 : 1
} finally {
  await scene.close()
}
