// A program of the host that finds no room: whoever ran it knows, however long its names are and whatever it says afterwards.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { runProgram } from '../../src/disks/programs.ts'

const saying = (...lines: readonly string[]): Promise<void> =>
  runProgram(process.execPath, ['-e', 'process.stderr.write(process.argv[1]); process.exitCode = 1', lines.join('\n')])

describe('a program of the host that fails', () => {
  it('is known to have found no room although its words are long, or others follow', async () => {
    const full = `cp: error writing '/${'d'.repeat(400)}': No space left on device`
    const known = { code: 'ENOSPC', message: /No space left/ }
    await assert.rejects(saying(full), known)
    await assert.rejects(saying(full, ...Array.from({ length: 5 }, () => 'cp: preserving times: Read-only file system')), known)
    await assert.rejects(saying("resize2fs: No space left on device while trying to resize '/dev/loop1'"), known)
  })

  it('is not believed to have found none where a file is called so', async () => {
    const unreadable = "cp: cannot open 'No space left on device' for reading: Permission denied"
    await assert.rejects(saying(unreadable), (error: Error) => !('code' in error) && error.message.endsWith('Permission denied'))
  })
})
