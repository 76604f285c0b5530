// Every number that bounds something. Sizes in bytes, times in milliseconds, unless the name says otherwise.
import { channelLimits } from './channel-limits.ts'

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
  /** What the conversations of a group may take of the disk of the unit; beyond it its agents say nothing more. */
  queueBytesByGroup: 1024 * MiB,
  /** What an agent may say at once and then a minute; each message that it is given lets it say one more. */
  agentWords: 240,
  agentWordsPerMinute: 60,
  openQueues: 256,
  /** Output of a session's sandboxes that is kept for operators. */
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

  /** A file that is given to an agent or fetched from it, and the parts that it travels in. */
  file: 10 * MiB,
  filePart: MiB,
  filePath: 4096,
  fileName: 255,
  fileDepth: 32,
  /** Names of a directory that are looked at for a list, and entries of a workspace that are counted. */
  fileEntries: 100_000,
  /** Directories inside one another that are counted, and how long a workspace is: one that takes longer counts as full. */
  fileCountDepth: 256,
  fileCountTime: 10_000,
  /** Files that are being taken at once, and how long the next part of one is waited for. */
  filePuts: 16,
  filePutIdle: 30_000,
  /** From the last part of a file to its place. */
  fileEndTime: 30_000,

  modelRequest: 10 * MiB,
  /** An answer of a provider, streamed or whole. */
  modelAnswer: 64 * MiB,
  /** An answer that is no stream, and one event of a stream. */
  modelWhole: 8 * MiB,
  /** What is read of a provider's error. */
  modelError: 64 * KiB,
  sessionModelCalls: 4,
  /** A provider that says nothing this long is given up. */
  modelIdle: 120_000,
  modelTime: 600_000,
  /** What a request of a group with a daily limit may take where it names no most itself. */
  modelOutput: 16_384,
  /** Tokens that one request may ask for, and that one count of a provider may name. */
  modelTokens: 10_000_000,

  connectTime: 10_000,
  /** A local server that is silent this long to the question for its revision is an old one. */
  eraProbe: 2_000,
  /** A server that speaks an old revision is asked again after this. */
  eraKept: 60 * 60_000,
  /** So many such verdicts are kept. */
  erasKept: 1_000,
  probeTime: 30_000,
  callTime: 60_000,
  drainTime: 10_000,
  /** A process whose supervisor is gone ends within this. */
  orphanTime: 1_000,
  rpcTime: 10_000,
  /** A call to a peer that is down fails within this. */
  rpcDownTime: 100,
  /** A patient call waits this long for a peer that is down. */
  rpcPatientTime: 2_000,
  /** Both ends have proved that they hold the edge's secret within this. */
  rpcHelloTime: 2_000,
  rpcRetryFirst: 20,
  rpcRetryMost: 1_000,
  /** A caller that leaves this much unread is cut off. */
  rpcBacklog: 32 * MiB,
  inboxWait: 25_000,
  idleStop: 15 * 60_000,
  /** From launch to the sandbox's first request. */
  launchTime: 30_000,
  /** Sandboxes that are being started at once, for each processor; the others wait for their turn. */
  launchesPerProcessor: 2,
  /** A sandbox that has not asked for work by then keeps no other from its start any more. */
  launchPlaceTime: 10_000,
  /** While more messages than this are being written, starts wait for them, but no longer than that. */
  receiptsAtOnce: 4,
  receiptsFirst: 2_000,
  /** A change that narrows reaches a busy sandbox within this. */
  narrowingTime: 30_000,
  /** So many failures of a sandbox within the window park its session. */
  failuresBeforeParking: 5,
  failureWindow: 10 * 60_000,
  headersTime: 5_000,
  requestTime: 10_000,
  /** An answer is taken within this, or from then on at this many bytes a second. */
  responseTime: 10_000,
  responseRate: 16 * KiB,

  /** A held change ends after this. */
  changeTtl: 7 * 24 * 60 * 60_000,
  /** How often held changes are looked through for those whose time is over. */
  expirySweep: 60_000,
  /** An idempotency key is remembered this long. */
  idempotencyTime: 24 * 60 * 60_000,
  /** Keys of chat requests that are known across conversations; beyond it the oldest are known in their own alone. */
  idempotencyKeys: 100_000,
  /** Held changes that agents may have asked for, by group. */
  agentHeldChanges: 10,
  /** An agent may not ask again for what was rejected before this is over. */
  agentRejectedPause: 60 * 60_000,
  /** Refused changes that agents may ask for within the window, by group. */
  agentRefusedChanges: 30,
  agentRefusedWindow: 60 * 60_000,
  /** Evidence older than this is looked for again before a change is held. */
  evidenceFresh: 60_000,
  /** Pins of one grant: a tool that is first seen beyond them is refused. */
  grantPins: 2_000,
  /** Between two times that the definitions behind one grant are written about; calls are judged by them at once. */
  driftPause: 30_000,
  /** A submission waits this long for its witness. */
  evidenceWait: 5_000,
  /** Counts of calls are on disk within this. */
  callCountDelay: 100,
  /** Failed authentications are journaled at most this often; what comes between is counted. */
  authFailedPause: 60_000,
  tokens: 256,
  /** A journal file is closed and a new one begun beyond this. */
  journalFile: 64 * MiB,
  /** Disk that is given up when there is no other. */
  auditReserve: 16 * MiB,
  /** Records of calls and queues stop while less disk than this is free, or than an eighth of a small volume. */
  diskForOthers: 256 * MiB,
  /** A file of call records is closed after this time, or an eighth of what it is kept for. */
  callsFileTime: 24 * 60 * 60_000,
  /** Lines and bytes of call records that are looked through for one answer. */
  callsLines: 20_000,
  callsBytes: 16 * MiB,
  /** The whole journal is read and checked within this. */
  journalCheckTime: 120_000,
  /** How often it is tried to keep that disk again. */
  auditReserveRetry: 5_000,
  /** A journal that cannot be written is tried again by itself between these. */
  auditRetryFirst: 100,
  auditRetryMost: 5_000,
  /** An act that only takes power away waits this long for its line before it answers. */
  lateWait: 2_000,
  eventPing: 15_000,
  /** Bytes that a slow reader of events may leave unread. */
  eventBacklog: MiB,
  /** Milliseconds between two samples of the unit's history, and how many are kept: an hour. */
  historyEvery: 10_000,
  historySamples: 360,
  eventStreams: 256,
  eventStreamsPerPrincipal: 16,
  /** Lines that a resumed stream is sent at most before it is told to read the audit. */
  eventReplay: 10_000,
  /** Lines that are looked through for one answer to a reader of news, and their bytes. */
  newsLines: 5_000,
  newsBytes: 8 * MiB,

  ratePerSecond: 50,
  rateBurst: 100,
  /** Milliseconds that a 429 is held back: who asks again at once asks no more often. */
  refusalHold: 500,
  /** Bytes of answers that a principal reads at once, and each second from then on; and its reads that wait for that. */
  readBytes: 8 * MiB,
  readBytesPerSecond: MiB / 2,
  readsWaiting: 32,
  /** Bytes of answers beyond which the reads of a principal come one at a time: nobody else stands behind several of them. */
  readBytesAside: MiB / 2,
  /** So many times as long as each of them took the next one waits, and milliseconds that it waits at most because of that. */
  readRest: 3,
  readRestMost: 1_000,
  /** Milliseconds that a read waits at most for what was read before. */
  readPauseMost: 10_000,
  wrongTokensPerMinute: 10,
  /** Principals and addresses that a limiter remembers at once. */
  rateKeys: 10_000,

  /** Levels of objects and arrays in a JSON body. */
  jsonDepth: 64,
  /** Field errors in one problem document. */
  fieldErrors: 32,

  listPages: 64,
  listTools: 1000,
  listBytes: 4 * MiB,
  /** A server that announces no changes is listed again after this, give or take a fifth. */
  listPoll: 5 * 60_000,
  /** Whatever a server says of how long its list may be kept, it is asked within these. */
  listKeptLeast: 5_000,
  listKeptMost: 60 * 60_000,

  upstreamRetryFirst: 200,
  upstreamRetryMost: 30_000,
  /** After a refused credential: asking again sooner gets accounts suspended. */
  upstreamRetryDenied: 5 * 60_000,
  /** A connection that stood this long starts with short pauses again. */
  upstreamSustained: 60_000,
  /** A call waits this long for the next attempt to connect; beyond it, it is told when to come back. */
  upstreamRetryWait: 1_000,
  /** From the end of a local server's input to SIGTERM, and from that to SIGKILL. */
  upstreamStopTime: 400,
  /** Of a local server's stderr these are kept: lines, their bytes, and the bytes of one. */
  serverLogLines: 2_000,
  serverLogs: 256 * KiB,
  serverLogLine: 8 * KiB,

  toolMemoryMiB: 512,
  toolCpus: 1,
  toolPids: 128,
  toolTmpMiB: 64,
  /** From the order to start a container to the broker's connection to it. */
  toolConnectTime: 10_000,
  /** A container that was told to end is removed by force after this. */
  toolStopTime: 10_000,

  sandboxMemoryMiB: 512,
  sandboxCpus: 1,
  /** Added to the niceness of what runs in a sandbox, and of local tool servers, so that the services come first. */
  sandboxNice: 5,
  /** The same for engines that make groups of their own, where 1,024 is what others have. */
  sandboxCpuShares: 335,
  /** And of all sandboxes together. */
  sandboxesCpuShares: 512,
  sandboxProcesses: 64,
  sandboxPids: 256,
  sandboxPidsGvisor: 512,
  sandboxTmpMiB: 64,
  sandboxWorkspaceMiB: 1024,
  /** For each GiB of a group's disk. */
  sandboxWorkspaceInodes: 100_000,
  /** Files of a group that is gone are kept this long. */
  removedFilesTime: 7 * 24 * 60 * 60_000,
  /** How often it is looked for files whose time is over. */
  removedFilesSweep: 60 * 60_000,
  /** Where nothing can be launched it is tried again between these; a seal that does not hold is proved again so many times. */
  postureRetryFirst: 10_000,
  postureRetryMost: 5 * 60_000,
  postureProofs: 3,
  /** A whole proof of the seal takes no longer. */
  sealProofTime: 180_000,
  /** A proof of the seal waits this long for a busy sandbox to be held back. */
  throttleTime: 10_000,
  sandboxOutput: 64 * MiB,
  sandboxOutputPerSecond: MiB,

  /** One answer of a registry about who signed an image. */
  imageAnswer: 1 * MiB,
  /** A tree of npm packages: how many, a tarball as it is sent, and all files of the tree. */
  treeNames: 64,
  treePackages: 1000,
  treeTarball: 64 * MiB,
  treeBytes: 512 * MiB,
  treeFiles: 50_000,
  /** From the wish for a tree until it is refused. */
  treeTime: 60_000,
  /** A submission is answered within this, its witnesses included. */
  submitTime: 75_000,

  /** How often messages are looked through for those that are kept no longer. */
  chatSweep: 60 * 60_000,
  /** A backup holds the queues still no longer than this. */
  backupHold: 5_000,
  /** What an archive will hold is taken down within this. */
  backupTime: 600_000,
  /** A backup that nobody reads is given up after this. */
  backupIdle: 60_000,
  /** Bytes of an archive that travel at once. */
  backupChunk: 512 * KiB,

  ...channelLimits,

  socketPath: 100,
  pageSize: 50,
  pageSizeMost: 200,
  chatPage: 200,

  restartFirst: 200,
  restartMost: 10_000,
  startsBeforeGivingUp: 5,
} as const
