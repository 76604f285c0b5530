// Public surface of the shared tables and schemas.
export { BackupOrder, Health, lifeEdge, ProcessState, runnerBackup, type Service, services, supervisorControlPlane } from './edges/life.ts'
export {
  BrokerBoot,
  ChannelsBoot,
  type ContainerEngine,
  containerEngines,
  ControlPlaneBoot,
  FromChild,
  GatewayBoot,
  Mode,
  ModelProxyBoot,
  OutboundSettings,
  RunnerBoot,
  RunnerCredential,
  type SandboxDriver,
  sandboxDrivers,
  type SandboxSetting,
  sandboxSettings,
} from './boot.ts'
export { Card, CardReference, CardTask, Decided } from './cards.ts'
export { Catalog, CatalogEntry, checkServerUrl, imageReference, LocalEntry, RemoteEntry, ServerAuth, Volume } from './catalog.ts'
export {
  AuditEntry,
  AuditHead,
  AuditVerdict,
  Change,
  ChangeState,
  changeStates,
  ChangeView,
  Condition,
  Decision,
  Failure,
  isRetryable,
  nextStep,
  PatchOperation,
  Preview,
  Reason,
  Requester,
  Submission,
  Submitted,
} from './change.ts'
export { boundedPattern, isMailAddress, lowerASCII } from './channel-spelling.ts'
export { canonicalAddress, canonicalUser, Channel, ChannelCredentials, type ChannelName, channels, channelTable } from './channel-table.ts'
export {
  ChannelCheck,
  ChannelList,
  channelStates,
  ChannelText,
  ChannelView,
  DeadLetter,
  Delivery,
  Reference,
  webhookFault,
  type WebhookHeaders,
  type WebhookRefusal,
  webhookRefusals,
} from './channels.ts'
export {
  type Code,
  codes,
  exits,
  type FieldIssue,
  isServiceError,
  ServiceError,
  type ToolErrorCode,
  toolErrorCodes,
  toProblem,
  toServiceError,
} from './errors.ts'
export {
  BegunLogin,
  brokerControlPlane,
  LoginProgress,
  LogoutOutcome,
  ProbeResult,
  ServerLogLine,
  ServerLogs,
} from './edges/broker-control-plane.ts'
export { Idempotency, SubmitOutcome } from './edges/change-calls.ts'
export {
  clientCalls,
  gatewayControlPlane,
  journalCalls,
  News,
  peopleCalls,
  type PermitRoute,
  permitRoutes,
} from './edges/gateway-control-plane.ts'
export { DeclaredTools, GrantRef, NamedEntry, ReloadOutcome } from './edges/registry-calls.ts'
export { channelsControlPlane } from './edges/channels-control-plane.ts'
export { call, type CallSpec, defineEdge, type Edge, type EventPayload, type Params, type Result } from './edge.ts'
export { gatewayBroker, LiveGrant, Verdict } from './edges/gateway-broker.ts'
export { Admission, gatewayChannels } from './edges/gateway-channels.ts'
export { gatewayModelProxy, ModelHolding, ModelVerdict } from './edges/gateway-model-proxy.ts'
export { gatewayRunner } from './edges/gateway-runner.ts'
export { ContainerOrder, ContainerStart, runnerBroker } from './edges/runner-broker.ts'
export { modelProxyControlPlane, ProviderCheck, ProviderView } from './edges/model-proxy-control-plane.ts'
export { runnerChannels } from './edges/runner-channels.ts'
export {
  ChatMessage,
  runnerControlPlane,
  SandboxPosture,
  SealProof,
  SessionLogLine,
  SessionLogs,
  sessionStates,
  SessionStatus,
} from './edges/runner-control-plane.ts'
export { type EngineProgram, type EngineRelease, engineReleases } from './engines.ts'
export { type Described, Drift, Evidence, type Heard } from './evidence.ts'
export {
  FileItem,
  fileKinds,
  FileList,
  FilePath,
  FilePlace,
  filePlaces,
  FolderPath,
  NewFilePath,
  PutFile,
  RemovedFile,
  SentFile,
} from './files.ts'
export { buildClientMetadata, type ClientMetadata, clientMetadataPath, loginCallbackPath } from './oauth.ts'
export { formatBounds, jsonBounds, type JsonBounds, jsonNameBytes } from './bounds.ts'
export {
  type AuditStage,
  auditStages,
  demoToken,
  mask,
  sandboxSockets,
  sandboxUid,
  stateFiles,
  stateSchema,
  toolSeparator,
} from './frozen.ts'
export {
  edgeSocket,
  type Halves,
  HostAct,
  HostActs,
  hostActsFile,
  isShared,
  runnerCredentialFile,
  type RunPlace,
  surfaceDirectory,
  type SurfaceName,
  surfaceSocket,
  toolDataDirectory,
} from './paths.ts'
export {
  AuditList,
  CallList,
  ChangeList,
  ChatMessages,
  ChatSendAnswer,
  ChatSendBody,
  DecisionBody,
  FreezeBody,
  FreezeList,
  GrantList,
  GroupList,
  keptHeader,
  ModelCallList,
  ModelList,
  Problem,
  PutServerAnswer,
  Ready,
  RetryBody,
  RevertBody,
  ServerList,
  ServerView,
  SessionList,
  Status,
  StatusHistory,
  StatusSample,
  SubmitAnswer,
  SubmitBody,
  TerminateBody,
  TokenList,
  UnitIdentity,
  WebhookAccepted,
  WholeEvidence,
  WiringList,
  WithdrawBody,
} from './http/admin.ts'
export { AgentGroupID, ChangeID, ConversationID, Digest, isSameServer, MessageID, ServerName, SessionID, Time } from './ids.ts'
export { dictionary, isDeeperThan, isObject, JsonObject, readPointer, toPointer, usableName, visible, visibleJson } from './json.ts'
export {
  AgentKind,
  alwaysOnTools,
  BuiltinTool,
  builtinTools,
  defaultTools,
  GroupLimits,
  Member,
  ModelChoice,
  Mount,
  Wiring,
  WiringTerms,
  workspaceBounds,
} from './kinds/agents.ts'
export {
  type After,
  findKind,
  Kind,
  type KindFacts,
  kindNames,
  kinds,
  type RequestableKind,
  requestableKinds,
  Risk,
} from './kinds/kinds.ts'
export { LockedPackage, PackageLock, PackageName, TreeRefusal, TreeSighting } from './kinds/packages.ts'
export { McpAccess, McpRegister } from './kinds/servers.ts'
export { limits } from './limits.ts'
export { fineBuckets, type MetricName, type MetricRow, metrics } from './metrics.ts'
export { ModelProvider, modelProviders, providerKeys, type ProviderPower, providerPowers } from './models.ts'
export { clientRole, Freeze, MintedToken, NewToken, Principal, reservedPrincipals, Role, roles, Token, TokenName } from './people.ts'
export { Power, PowerArea, powerAreas, PowerMark, Reach } from './reach.ts'
export {
  AgentGroup,
  Explanation,
  Grant,
  GrantView,
  HostIdentity,
  MountSighting,
  Observation,
  PinnedMount,
  Pinning,
  pinnings,
  ServerImage,
  ServerState,
  Session,
  Surface,
  ToolDefinition,
  Wired,
} from './registry.ts'
export { ModelCallRecord, type ModelErrorCode, modelErrors } from './sandbox/model.ts'
export { ChangeAnswer, ChangeRequest, ChangeWithdrawal, Inbox, InboxMessage, OutboxMessage, SessionInfo } from './sandbox/session.ts'
export { callOps, CallRecord, callStatuses, ListedTool, ToolCall, ToolList, ToolResult } from './sandbox/tools.ts'
