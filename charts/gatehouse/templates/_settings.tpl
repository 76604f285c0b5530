{{/* Settings of the daemon that follow from others. */}}

{{/* The volume is mounted one level above the state directory. The root of a fresh volume is root's, with lost+found in it, and the
     unit insists on a directory of its own with mode 0700: it makes `state` below, which fsGroup lets it. */}}
{{- define "gatehouse.volume" -}}
/var/lib/gatehouse
{{- end }}

{{/* Names by which programs of the cluster reach the unit; those of loopback, for a port-forward, the unit takes by itself. */}}
{{- define "gatehouse.publicUrls" -}}
{{- $name := include "gatehouse.fullname" . }}
{{- $urls := .Values.publicUrls }}
{{- if .Values.ingress.enabled }}
{{- range .Values.ingress.hosts }}{{ $urls = append $urls (printf "https://%s" .) }}{{ end }}
{{- end }}
{{- range list $name (printf "%s.%s" $name .Release.Namespace) (printf "%s.%s.svc" $name .Release.Namespace) (printf "%s.%s.svc.cluster.local" $name .Release.Namespace) }}
{{- $urls = append $urls (printf "http://%s:%d" . (int $.Values.service.port)) }}
{{- end }}
{{- join "," (uniq $urls) }}
{{- end }}

{{/* Helm holds a number as a float, whose own text is 1e+06 for a million. */}}
{{- define "gatehouse.settingText" -}}
{{- if kindIs "string" . }}{{ . }}{{ else }}{{ toJson . }}{{ end }}
{{- end }}

{{/* Each line of these two is needed: the tests take them away one by one. */}}
{{- define "gatehouse.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
# Without this the kubelet would open every private file of the state to the group at each start.
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "gatehouse.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}
