{{- define "weir.fullname" -}}
{{- if contains .Chart.Name .Release.Name -}}{{ .Release.Name }}{{- else -}}{{ .Release.Name }}-{{ .Chart.Name }}{{- end -}}
{{- end -}}

{{/* The same for every installation: what each service is and needs. */}}
{{- define "weir.facts" -}}
deposit-ingest: { http: true, kafka: true, groups: [deposit-ingest] }
withdrawal-gate: { http: true, kafka: true, outbound: true, groups: [withdrawal-gate, withdrawal-gate.decisions], folder: WEIR_PERMIT_JOURNAL, journal: permits }
scoring: { kafka: true, outbound: true, groups: [scoring] }
decision: { kafka: true, groups: [decision] }
audit-writer: { http: true, kafka: true, outbound: true, groups: [audit-writer], folder: WEIR_AUDIT_DIR, journal: audit }
console: { http: true, kafka: true, outbound: true, groups: [console, webhooks] }
risk-api: { http: true, outbound: true }
{{- if (index .Values.services "chain-follower").enabled }}
chain-follower: { kafka: true, outbound: true }
{{- end }}
{{- end -}}

{{/* Claims with what services keep outside the database, by service. `once`: one node mounts it. `path`: its place in the toolbox. */}}
{{- define "weir.claims" -}}
{{- $root := . -}}
{{- range $component, $facts := include "weir.facts" . | fromYaml }}
{{- $values := merge (deepCopy (index $root.Values.services $component | default dict)) (deepCopy $root.Values.defaults) -}}
{{- $persistence := $values.persistence | default dict -}}
{{- if and $facts.folder $persistence.enabled }}
{{ $component }}:
  name: {{ $persistence.existingClaim | default (printf "%s-%s" (include "weir.fullname" $root) $component) }}
  once: {{ eq ($persistence.accessMode | default "ReadWriteOnce") "ReadWriteOnce" }}
  setting: {{ $facts.folder }}
  path: /journals/{{ $facts.journal }}
  tolerations: {{ $values.tolerations | default list | toJson }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Services whose operations or health the pages of the console show, by the console's setting. */}}
{{- define "weir.shown" -}}
WEIR_DECISION_URL: decision
WEIR_AUDIT_URL: audit-writer
WEIR_SCORING_URL: scoring
WEIR_INGEST_URL: deposit-ingest
WEIR_GATE_URL: withdrawal-gate
{{- end -}}

{{- define "weir.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "weir.labels" -}}
{{ include "weir.selector" . }}
app.kubernetes.io/part-of: weir
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end -}}

{{- define "weir.metadata" -}}
name: {{ include "weir.fullname" .root }}-{{ .component }}
labels: {{- include "weir.labels" . | nindent 2 }}
{{- end -}}

{{/* `own`: the image of one service, with a tag or digest of its own. */}}
{{- define "weir.image" -}}
{{- $own := .own | default dict -}}
{{- $digest := $own.digest | default (ternary "" .root.Values.image.digest (not (empty $own.tag))) -}}
{{- if $digest -}}{{ .root.Values.image.repository }}@{{ $digest }}
{{- else -}}{{ .root.Values.image.repository }}:{{ $own.tag | default .root.Values.image.tag | default .root.Chart.AppVersion }}{{- end -}}
{{- end -}}

{{- define "weir.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.image.pullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "weir.container" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end -}}

{{/* Environment of each container; `settings`: its own. */}}
{{- define "weir.env" -}}
{{- $settings := merge (dict) (.settings | default dict) .root.Values.settings -}}
{{- if .kafka -}}
{{- $kafka := .root.Values.kafka -}}
{{- $settings = merge $settings (dict
  "KAFKA_BROKERS" (required "kafka.brokers is not set" $kafka.brokers)
  "SCHEMA_REGISTRY_URL" (required "kafka.schemaRegistryUrl is not set" $kafka.schemaRegistryUrl)
  "KAFKA_SECURITY_PROTOCOL" $kafka.securityProtocol
  "KAFKA_SASL_MECHANISM" $kafka.saslMechanism) -}}
{{- if and .root.Values.ca.configMap (hasSuffix "SSL" $kafka.securityProtocol) -}}
{{- $settings = merge $settings (dict "KAFKA_SSL_CA_FILE" (printf "/etc/weir/ca/%s" .root.Values.ca.key)) -}}
{{- end -}}
{{- end -}}
{{- if .root.Values.ca.configMap -}}
{{- $settings = merge $settings (dict "NODE_EXTRA_CA_CERTS" (printf "/etc/weir/ca/%s" .root.Values.ca.key)) -}}
{{- end -}}
{{- range $name, $value := $settings }}
{{- /* A number of the values is a float64, which toString writes as 1e+06. */}}
- { name: {{ $name }}, value: {{ ternary $value (toJson $value) (kindIs "string" $value) | quote }} }
{{- end -}}
{{- end -}}

{{/* Secret of the user `operator`: of the toolbox, the schedules and the lists. */}}
{{- define "weir.operatorSecret" -}}
{{ .Values.toolbox.existingSecret | default (printf "%s-operator" (include "weir.fullname" .)) }}
{{- end -}}

{{- define "weir.envFrom" -}}
- secretRef: { name: {{ .root.Values.sharedSecret | default (printf "%s-shared" (include "weir.fullname" .root)) }} }
- secretRef: { name: {{ .existingSecret | default (printf "%s-%s" (include "weir.fullname" .root) .component) }} }
{{- end -}}

{{- define "weir.mounts" -}}
- { name: tmp, mountPath: /tmp }
{{- if .Values.ca.configMap }}
- { name: ca, mountPath: /etc/weir/ca, readOnly: true }
{{- end }}
{{- end -}}

{{- define "weir.volumes" -}}
- { name: tmp, emptyDir: { sizeLimit: 1Gi } }
{{- if .Values.ca.configMap }}
- { name: ca, configMap: { name: {{ .Values.ca.configMap }} } }
{{- end }}
{{- end -}}
