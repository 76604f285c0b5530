// Releases of engines, parsed from the output of their programs.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { judgeRelease } from '../src/choice.ts'

describe('the release of an engine', () => {
  it('is old, recent enough or unknown', () => {
    assert.match(
      judgeRelease('runsc', 'runsc version 0.0~20221219.0\nspec: 1.0.2-dev') ?? '',
      /runsc 20221219\.0 is older than 20240101: .*no longer maintained/,
    )
    assert.equal(judgeRelease('runsc', 'runsc version release-20250707.0\nspec: 1.1.0-rc.1'), null)
    assert.match(
      judgeRelease('runc', 'runc version 1.1.5+ds1\ncommit: 1.1.5+ds1-1+deb12u1') ?? '',
      /runc 1\.1\.5 is older than 1\.2\.8: .*CVE-2025-31133/,
    )
    assert.equal(judgeRelease('runc', 'runc version 1.3.3'), null)
    assert.equal(judgeRelease('bwrap', 'bubblewrap 0.8.0'), null)
    assert.equal(judgeRelease('docker', 'Docker version 28.2.2, build e6534b4'), null)
    assert.match(judgeRelease('podman', 'podman') ?? '', /does not report its release/)
  })
})
