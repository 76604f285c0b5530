// Bounds on the structure of external documents. JSON is checked on its bytes before it is parsed, because brackets cost a parser
// a hundred times as much as the same bytes of text.
import { channelLimits } from './channel-limits.ts'
import { limits } from './limits.ts'

const KiB = 1024
const MiB = 1024 * KiB

export interface JsonBounds {
  /** Where the document comes from. */
  readonly from: string
  /** Maximum size. Each escape in a text counts as one more byte. */
  readonly bytes: number
  /** Objects and arrays inside one another. */
  readonly levels: number
  /** Values and names of members together: what a parser makes objects of. */
  readonly values: number
}

/** Bytes of one name. From 16 KiB on, a parser compares names of equal length byte by byte. */
export const jsonNameBytes = 4 * KiB

const levels = limits.jsonDepth

export const jsonBounds = {
  toolCall: { from: '`POST /call` on `tools.sock`', bytes: limits.callBody, levels, values: 20_000 },
  sessionRequest: { from: 'requests on `session.sock`', bytes: limits.apiBody, levels, values: 20_000 },
  modelRequest: { from: 'requests on `model.sock`', bytes: limits.modelRequest, levels, values: 50_000 },
  mcpRequest: { from: 'requests on `/mcp`', bytes: limits.callBody, levels, values: 20_000 },
  apiBody: { from: 'bodies of the admin API', bytes: limits.apiBody, levels, values: 20_000 },
  /** One tool that is nested too deep is left out by itself, so a message may be deeper than what it holds. */
  upstreamMessage: {
    from: 'messages of tool servers: a line, an answer over HTTP, an event',
    bytes: limits.upstreamMessage,
    levels: 2_000,
    values: 100_000,
  },
  authorizationAnswer: { from: 'answers of authorization servers', bytes: limits.authorizationAnswer, levels, values: 5_000 },
  modelAnswer: { from: 'whole answers of model providers', bytes: limits.modelWhole, levels, values: 100_000 },
  modelEvent: { from: 'token counts in events of model providers', bytes: limits.modelWhole, levels, values: 50_000 },
  modelError: { from: 'errors of model providers', bytes: limits.modelError, levels, values: 2_000 },
  /** A hundred messages that people filled with marks: what is refused here would be fetched again and again. */
  channelAnswer: { from: 'answers of Slack and Telegram', bytes: limits.file, levels, values: 200_000 },
  channelEvent: { from: 'events of Slack, over its socket', bytes: 4 * MiB, levels, values: 200_000 },
  webhook: { from: 'bodies of webhooks', bytes: limits.webhookBody, levels, values: 2_000 },
  /** The reader of frames holds them to `limits.rpcFrame` itself; the text in a frame was within the bounds of where it came from. */
  rpcFrame: { from: 'frames between the processes of the unit', bytes: 2 * limits.rpcFrame, levels: 2_100, values: 1_000_000 },
  catalogFile: { from: 'the catalog file', bytes: 4 * MiB, levels, values: 50_000 },
  packageManifest: { from: '`package.json` in tarballs of npm', bytes: MiB, levels, values: 20_000 },
  packageTree: { from: 'the tree that the sealed process of npm writes', bytes: 4 * MiB, levels, values: 100_000 },
  imageAnswer: { from: 'answers of image registries and image signatures', bytes: limits.imageAnswer, levels, values: 20_000 },
  engineOutput: { from: 'output of container engines and runtimes', bytes: 4 * MiB, levels, values: 50_000 },
  probeOutput: { from: 'output of probes in a sandbox', bytes: 4 * MiB, levels, values: 100_000 },
  childOutput: { from: 'output of the processes of the unit: their life and their log', bytes: MiB, levels, values: 20_000 },
  archiveDocument: { from: 'documents in a backup archive', bytes: 256 * KiB, levels, values: 5_000 },
  clientConfiguration: {
    from: 'configuration files of MCP clients that `svcctl mcp import` reads',
    bytes: 16 * MiB,
    levels,
    values: 500_000,
  },
  stateFile: { from: 'files of the state directory', bytes: 16 * MiB, levels: 2 * levels, values: 200_000 },
} as const satisfies Record<string, JsonBounds>

/** The structure that a process accepts in outside documents that are not JSON. */
export const formatBounds = {
  email: {
    from: 'e-mail (MIME)',
    bytes: channelLimits.emailSize,
    /** Parts inside one another. */
    levels: 32,
    /** Messages inside one another. */
    messages: 1,
    headers: 262_144,
    /** More lines than this must have so many bytes each, on average. */
    lines: 20_000,
    bytesPerLine: 40,
  },
  modelStream: { from: 'streams of model providers, passed on without being parsed', bytes: limits.modelAnswer, event: limits.modelWhole },
  archive: { from: 'backup archives (tar)', entries: 4_000_000, path: 4096, name: 255, target: 4095 },
  tarball: { from: 'tarballs of npm packages', bytes: limits.treeTarball, files: limits.treeFiles, tree: limits.treeBytes },
} as const
