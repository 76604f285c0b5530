// The page about files of an agent, followed word for word.
// Profile: rest. Follows a page on a whole unit; README and tutorial are in the default profile.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { follow } from '../../src/documents/follow.ts'
import { removeState } from '../../src/remove-state.ts'
import { runSvcctl } from '../../src/svcctl.ts'
import { freshDirectory, startUnit } from '../../src/unit.ts'

test('files are put, listed, fetched and removed as the page says', async (t) => {
  const unit = await startUnit({ flags: ['--dev', '--sandbox', 'none'] })
  const directory = await freshDirectory()
  t.after(async () => {
    await unit.dispose()
    await removeState(directory)
  })
  await writeFile(join(directory, 'summary.md'), 'In short.\n')
  // What the agent of the page made.
  await runSvcctl(['files', 'put', 'dev-agent', join(directory, 'summary.md'), 'out/'], { address: unit.address, home: directory })
  const place = join(directory, 'place')
  await mkdir(place)
  for (const name of ['report.md', 'notes.txt']) await writeFile(join(place, name), `# ${name}\n`)
  await follow('docs/how-to/files.md', {
    address: unit.address,
    directory: place,
    places: { ' research ': ' dev-agent ', 'ls research': 'ls dev-agent' },
  })
})
