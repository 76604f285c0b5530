// The structure that a process accepts of outside documents that are not JSON: those are in `json-bounds.ts`.
import { channelLimits } from './channel-limits.ts'
import { limits } from './limits.ts'

const KiB = 1024

export const formatBounds = {
  email: {
    from: 'e-mail (MIME)',
    bytes: channelLimits.emailSize,
    /** Parts inside one another. */
    levels: 32,
    /** Messages inside one another. */
    messages: 1,
    headers: 256 * KiB,
    /** More lines than this must have so many bytes each, on average. */
    lines: 20_000,
    bytesPerLine: 40,
  },
  modelStream: { from: 'streams of model providers, passed on without being parsed', bytes: limits.modelAnswer, event: limits.modelWhole },
  archive: { from: 'backup archives (tar)', entries: 4_000_000, path: 4096, name: 255, target: 4095 },
  tarball: { from: 'tarballs of npm packages', bytes: limits.treeTarball, files: limits.treeFiles, tree: limits.treeBytes },
} as const
