// Every number that bounds something. Sizes in bytes, times in milliseconds, unless the name says otherwise.

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
  requestHeaders: 8 * KiB,

  sessionCallsPerMinute: 600,
  sessionListsPerMinute: 60,
  sessionCallsInFlight: 8,
  sessionConnections: 64,
  serverCallsInFlight: 16,
  serverQueue: 256,

  connectTime: 10_000,
  probeTime: 30_000,
  callTime: 60_000,
  drainTime: 10_000,
  rpcTime: 10_000,
  /** A call to a peer that is down fails within this. */
  rpcDownTime: 100,
  /** A patient call waits this long for a peer that is down. */
  rpcPatientTime: 2_000,
  inboxWait: 25_000,
  idleStop: 15 * 60_000,
  headersTime: 5_000,
  requestTime: 10_000,

  ratePerSecond: 50,
  rateBurst: 100,
  wrongTokensPerMinute: 10,

  listPages: 64,
  listTools: 1000,
  listBytes: 4 * MiB,

  sandboxMemoryMiB: 512,
  sandboxCpus: 1,
  sandboxProcesses: 64,
  sandboxPids: 256,
  sandboxPidsGvisor: 512,
  sandboxTmpMiB: 64,
  sandboxOutput: 64 * MiB,
  sandboxOutputPerSecond: MiB,

  socketPath: 100,
  pageSize: 50,
  pageSizeMost: 200,
  chatPage: 200,

  restartFirst: 200,
  restartMost: 10_000,
  startsBeforeGivingUp: 5,
} as const
