// All limits. Sizes in bytes, times in milliseconds, unless the name says otherwise.
import { channelLimits } from './channel-limits.ts'
import { loginLimits } from './login-limits.ts'

const KiB = 1024
const MiB = 1024 * KiB

export const limits = {
  apiBody: MiB,
  decisionBody: 64 * KiB,
  after: 256 * KiB,
  personaText: 64 * KiB,
  evidence: 2 * MiB,
  rpcFrame: 8 * MiB,
  callBody: 4 * MiB,
  upstreamMessage: 8 * MiB,
  resultText: 256 * KiB,
  messageText: 256 * KiB,
  queueMessages: 1000,
  /** Disk space for the conversations of a group. Beyond it, its agents cannot send messages. */
  queueBytesByGroup: 1024 * MiB,
  /** Messages of an agent in a burst, and then per minute. Each message that it receives allows one more. */
  agentWords: 240,
  agentWordsPerMinute: 60,
  openQueues: 256,
  /** Output of a session's sandboxes that operators can read. */
  sessionLog: 256 * KiB,
  sessionLogLines: 2_000,
  sessionLogLine: 4 * KiB,
  requestHeaders: 8 * KiB,

  sessionCallsPerMinute: 600,
  sessionListsPerMinute: 60,
  sessionCallsInFlight: 8,
  sessionConnections: 64,
  serverCallsInFlight: 16,
  serverQueue: 256,

  /** Size of a file that people upload or download, and of the parts in which it is transferred. */
  file: 10 * MiB,
  filePart: MiB,
  filePath: 4096,
  fileName: 255,
  fileDepth: 32,
  /** Directory entries that are read for a list, and entries of a workspace that are counted. */
  fileEntries: 100_000,
  /** Nested directories that are counted, and the time to count a workspace. One that takes longer counts as full. */
  fileCountDepth: 256,
  fileCountTime: 10_000,
  /** Concurrent uploads, and the time to wait for the next part of one. */
  filePuts: 16,
  filePutIdle: 30_000,
  /** Time from the last part of an upload until the file is in place. */
  fileEndTime: 30_000,

  modelRequest: 10 * MiB,
  /** A response of a provider, streamed or not. */
  modelAnswer: 64 * MiB,
  /** A response that is not streamed, and one event of a stream. */
  modelWhole: 8 * MiB,
  /** Bytes of a provider's error that are read. */
  modelError: 64 * KiB,
  sessionModelCalls: 4,
  /** A request ends after this time without data from the provider. */
  modelIdle: 120_000,
  modelTime: 600_000,
  /** Output tokens of a request without its own maximum, in a group with a daily limit. */
  modelOutput: 16_384,
  /** Maximum tokens in a request, and in a token count of a provider. */
  modelTokens: 10_000_000,

  connectTime: 10_000,
  /** A local server that does not answer the protocol probe within this time uses an old revision. */
  eraProbe: 2_000,
  /** A server with an old protocol revision is probed again after this. */
  eraKept: 60 * 60_000,
  /** Number of remembered protocol revisions. */
  erasKept: 1_000,
  probeTime: 30_000,
  callTime: 60_000,
  drainTime: 10_000,
  /** A process exits within this time after its supervisor has ended. */
  orphanTime: 1_000,
  rpcTime: 10_000,
  /** A call to a peer that is down fails within this. */
  rpcDownTime: 100,
  /** A patient call waits this long for a peer that is down. */
  rpcPatientTime: 2_000,
  /** Both ends must prove that they have the secret of the edge within this time. */
  rpcHelloTime: 2_000,
  rpcRetryFirst: 20,
  rpcRetryMost: 1_000,
  /** A caller with more unread bytes is disconnected. */
  rpcBacklog: 32 * MiB,
  inboxWait: 25_000,
  idleStop: 15 * 60_000,
  /** From launch to the sandbox's first request. */
  launchTime: 30_000,
  /** Concurrent sandbox launches for each processor. Others wait. */
  launchesPerProcessor: 2,
  /** A launch that takes longer no longer blocks other launches. */
  launchPlaceTime: 10_000,
  /** Launches wait while more messages than this are being written, up to this time. */
  receiptsAtOnce: 4,
  receiptsFirst: 2_000,
  /** A change that removes access takes effect in a busy sandbox within this time. */
  narrowingTime: 30_000,
  /** A session is parked after this number of sandbox failures within the window. */
  failuresBeforeParking: 5,
  failureWindow: 10 * 60_000,
  headersTime: 5_000,
  requestTime: 10_000,
  /** A reader must accept a response within this time, or at this rate in bytes per second afterwards. */
  responseTime: 10_000,
  responseRate: 16 * KiB,

  /** A pending change expires after this. */
  changeTtl: 7 * 24 * 60 * 60_000,
  /** Interval between checks for expired changes. */
  expirySweep: 60_000,
  /** Lifetime of an idempotency key. */
  idempotencyTime: 24 * 60 * 60_000,
  /** Chat idempotency keys that are remembered across conversations. Older ones are only remembered in their own conversation. */
  idempotencyKeys: 100_000,
  /** Pending changes that the agents of a group may have. */
  agentHeldChanges: 10,
  /** An agent cannot repeat a rejected request within this time. */
  agentRejectedPause: 60 * 60_000,
  /** Refused changes that the agents of a group may submit within the window. */
  agentRefusedChanges: 30,
  agentRefusedWindow: 60 * 60_000,
  /** Evidence older than this is requested again before a change is held. */
  evidenceFresh: 60_000,
  /** Pins of one grant. Further new tools are refused. */
  grantPins: 2_000,
  /** Minimum time between two drift records of a grant. Calls are checked against new definitions at once. */
  driftPause: 30_000,
  /** A submission waits this long for evidence. */
  evidenceWait: 5_000,
  /** Call counts are on disk within this time. */
  callCountDelay: 100,
  /** Minimum time between two records of failed authentications, which contain counts. */
  authFailedPause: 60_000,
  tokens: 256,
  /** A journal file is rotated beyond this size. */
  journalFile: 64 * MiB,
  /** Reserved disk space that is freed when the disk is full. */
  auditReserve: 16 * MiB,
  /** Call records and queues stop while less disk space is free than this, or than an eighth of a small volume. */
  diskForOthers: 256 * MiB,
  /** A file of call records is rotated after this time, or after an eighth of its retention. */
  callsFileTime: 24 * 60 * 60_000,
  /** Lines and bytes of call records that are read for one answer. */
  callsLines: 20_000,
  callsBytes: 16 * MiB,
  /** Time to verify the whole journal. */
  journalCheckTime: 120_000,
  /** Interval between attempts to reserve that disk space again. */
  auditReserveRetry: 5_000,
  /** Initial and maximum delay between attempts to write a journal that failed. */
  auditRetryFirst: 100,
  auditRetryMost: 5_000,
  /** An act that only removes access waits this long for its journal record before it answers. */
  lateWait: 2_000,
  eventPing: 15_000,
  /** Unread bytes that a slow event reader may have. */
  eventBacklog: MiB,
  /** Milliseconds between two samples of the unit's history, and the number of samples: one hour. */
  historyEvery: 10_000,
  historySamples: 360,
  eventStreams: 256,
  clientStreams: 1_024,
  eventStreamsPerPrincipal: 16,
  /** Maximum records that a resumed stream receives before it must read the audit log. */
  eventReplay: 10_000,
  /** Records and bytes that are read for one answer to an event reader. */
  newsLines: 5_000,
  newsBytes: 8 * MiB,

  ratePerSecond: 50,
  rateBurst: 100,
  /** Delay of a 429 response in milliseconds, which slows down clients that retry at once. */
  refusalHold: 500,
  /** Response bytes that a principal may read in a burst and per second, and the number of its reads that may wait. */
  readBytes: 8 * MiB,
  readBytesPerSecond: MiB / 2,
  readsWaiting: 32,
  /** Response bytes beyond which the reads of a principal are serialized, so they do not delay others. */
  readBytesAside: MiB / 2,
  /** The next serialized read waits this multiple of the previous one's duration, up to this time in milliseconds. */
  readRest: 3,
  readRestMost: 1_000,
  /** Maximum milliseconds that a read is delayed because of earlier reads. */
  readPauseMost: 10_000,
  wrongTokensPerMinute: 10,
  /** Principals and addresses that a limiter tracks. */
  rateKeys: 10_000,

  /** Levels of objects and arrays in a JSON body. */
  jsonDepth: 64,
  /** Field errors in one problem document. */
  fieldErrors: 32,

  listPages: 64,
  listTools: 1000,
  listBytes: 4 * MiB,
  /** Interval between listings of a server that does not announce changes, with a jitter of 20 %. */
  listPoll: 5 * 60_000,
  /** Minimum and maximum cache time of a server's list. */
  listKeptLeast: 5_000,
  listKeptMost: 60 * 60_000,

  upstreamRetryFirst: 200,
  upstreamRetryMost: 30_000,
  /** Delay after a rejected credential. Retrying sooner can get accounts suspended. */
  upstreamRetryDenied: 5 * 60_000,
  /** After a connection of this duration, retries start with short delays again. */
  upstreamSustained: 60_000,
  /** A call waits this long for the next connection attempt. If it is later, the call fails with the time to retry. */
  upstreamRetryWait: 1_000,
  /** Time from the end of a local server's input to SIGTERM, and from SIGTERM to SIGKILL. */
  upstreamStopTime: 400,
  /** Stderr of a local server that is kept: lines, total bytes, and bytes of one line. */
  serverLogLines: 2_000,
  serverLogs: 256 * KiB,
  serverLogLine: 8 * KiB,

  toolMemoryMiB: 512,
  toolCpus: 1,
  toolPids: 128,
  toolTmpMiB: 64,
  /** Time from the request to start a container until the broker is connected to it. */
  toolConnectTime: 10_000,
  /** A container that does not stop is killed after this. */
  toolStopTime: 10_000,

  sandboxMemoryMiB: 512,
  sandboxCpus: 1,
  /** Added to the niceness of sandboxes and local tool servers, so that the services have priority. */
  sandboxNice: 5,
  /** The same as CPU shares, for engines that create their own control groups. The default is 1,024. */
  sandboxCpuShares: 335,
  /** CPU shares of all sandboxes together. */
  sandboxesCpuShares: 512,
  sandboxProcesses: 64,
  sandboxPids: 256,
  sandboxPidsGvisor: 512,
  sandboxTmpMiB: 64,
  sandboxWorkspaceMiB: 1024,
  /** Inodes for each GiB of a group's disk. */
  sandboxWorkspaceInodes: 100_000,
  /** Retention of the files of a removed group. */
  removedFilesTime: 7 * 24 * 60 * 60_000,
  /** Interval between checks for expired files. */
  removedFilesSweep: 60 * 60_000,
  /** Initial and maximum delay between attempts if no sandbox can be launched, and the number of seal proofs after one showed a missing control. */
  postureRetryFirst: 10_000,
  postureRetryMost: 5 * 60_000,
  postureProofs: 3,
  /** Time of a complete seal proof. */
  sealProofTime: 180_000,
  /** A seal proof waits this long for a busy sandbox to be throttled. */
  throttleTime: 10_000,
  sandboxOutput: 64 * MiB,
  sandboxOutputPerSecond: MiB,

  /** One response of a registry about the signature of an image. */
  imageAnswer: 1 * MiB,
  /** A tree of npm packages: requested names, packages, compressed tarball, and total files. */
  treeNames: 64,
  treePackages: 1000,
  treeTarball: 64 * MiB,
  treeBytes: 512 * MiB,
  treeFiles: 50_000,
  /** Time to resolve a package tree. */
  treeTime: 60_000,
  /** Time to answer a submission, including its evidence. */
  submitTime: 75_000,
  /** Interval between checks for messages beyond their retention. */
  chatSweep: 60 * 60_000,
  /** Maximum time that a backup pauses the queues. */
  backupHold: 5_000,
  /** Time to copy the state for a backup. */
  backupTime: 600_000,
  /** A backup that is not read is dropped after this. */
  backupIdle: 60_000,
  /** Bytes of an archive in one transfer. */
  backupChunk: 512 * KiB,
  ...channelLimits,
  ...loginLimits,

  socketPath: 100,
  pageSize: 50,
  pageSizeMost: 200,
  chatPage: 200,
  restartFirst: 200,
  restartMost: 10_000,
  startsBeforeGivingUp: 5,
} as const
