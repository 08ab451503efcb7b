package page

import (
	"fmt"
	"strings"
)

// Language is a language that the page speaks.
type Language int

// The languages of the page, in the order of the texts.
const (
	English Language = iota
	Portuguese
)

// languages are their tags in the address, each with the tag of the markup.
var languages = [...]struct{ Tag, Markup, Name string }{{"en", "en", "English"}, {"pt", "pt-BR", "Português"}}

// say is a text in a language. A missing text is an error in the page, which its tests find.
func (l Language) say(key string, args ...any) (string, error) {
	text, ok := texts[key]
	if !ok {
		return "", fmt.Errorf("no text is called %s", key)
	}
	if len(args) == 0 {
		return text[l], nil
	}
	for i, arg := range args {
		if n, ok := arg.(int); ok {
			args[i] = l.whole(n)
		}
	}
	return fmt.Sprintf(text[l], args...), nil
}

// count is a number with the noun for one or for many.
func (l Language) count(n int, key string) (string, error) {
	if n == 1 {
		return l.say(key+".one", n)
	}
	return l.say(key+".many", n)
}

// word is the text of a word of the service, such as a state; an unknown one is shown as it is.
func (l Language) word(kind, word string) string {
	if text, ok := texts[kind+"."+word]; ok {
		return text[l]
	}
	return word
}

// states is the word of a state for a number of invoices. Portuguese inflects it, unless it is a phrase.
func (l Language) states(n int, word string) string {
	text := l.word("state", word)
	if _, known := texts["state."+word]; known && l == Portuguese && n != 1 && !strings.Contains(text, " ") {
		return text + "s"
	}
	return text
}

// texts are all texts of the page, in the order of Language.
var texts = map[string][2]string{
	"title": {"Sandbox of the invoicing service", "Sandbox do serviço de notas fiscais"},
	"skip":  {"Skip to the content", "Ir para o conteúdo"},
	"intro": {
		"A test account in memory. Nothing here has fiscal value. " +
			"Viewing this page changes nothing and does not count against the rate limit. " +
			"Keys and secrets are hidden.",
		"Uma conta de teste em memória. Nada aqui tem valor fiscal. " +
			"Consultar esta página não altera nada nem conta no limite de requisições. " +
			"Chaves e segredos ficam ocultos.",
	},
	"address":  {"Address", "Endereço"},
	"language": {"Language", "Idioma"},
	"noscript": {
		"Without scripts, this page does not update by itself and has no search field.",
		"Sem scripts, esta página não se atualiza sozinha e não tem campo de busca.",
	},
	"reload.offer": {"Reload every %s seconds", "Recarregar a cada %s segundos"},
	"reload.stop":  {"Stop reloading every %s seconds", "Parar de recarregar a cada %s segundos"},
	"pause":        {"Pause updates", "Pausar atualização"},
	"resume":       {"Resume updates", "Retomar atualização"},
	"live":         {"Live.", "Ao vivo."},
	"paused":       {"Paused.", "Pausada."},
	"lost": {
		"The sandbox does not answer. Retrying.",
		"O sandbox não responde. Tentando de novo.",
	},
	"refused":       {"The sandbox refused the request.", "O sandbox recusou a requisição."},
	"parts":         {"Parts of the page", "Partes da página"},
	"search":        {"Search", "Buscar"},
	"search.hint":   {"Search (press /)", "Buscar (tecle /)"},
	"found.one":     {"%s result for", "%s resultado para"},
	"found.many":    {"%s results for", "%s resultados para"},
	"found.nothing": {"Nothing contains", "Nada contém"},
	"copy":          {"Copy", "Copiar"},
	"copied":        {"Copied", "Copiado"},
	"copied.not": {
		"The browser does not allow this page to copy.",
		"O navegador não deixa esta página copiar.",
	},
	"as.of": {"As of", "Situação em"},
	"gone.with": {
		"All data is lost when the program ends.",
		"Todos os dados se perdem quando o programa termina.",
	},
	"newest":         {"Newest first.", "Mais recentes primeiro."},
	"changed.first":  {"Latest change first.", "Da mudança mais recente à mais antiga."},
	"more":           {"The first %s are shown, %s more are not.", "A lista mostra %s; há mais %s."},
	"fold.all":       {"Show all %s", "Mostrar tudo (%s)"},
	"fold.fewer":     {"Show fewer", "Mostrar menos"},
	"none":           {"none", "nenhum"},
	"none.feminine":  {"none", "nenhuma"},
	"not.set":        {"not set", "não definido"},
	"summary.none":   {"No invoice yet.", "Nenhuma nota ainda."},
	"invoices.one":   {"%s invoice", "%s nota"},
	"invoices.many":  {"%s invoices", "%s notas"},
	"earlier.one":    {"%s earlier step is not shown.", "%s passo anterior foi omitido."},
	"earlier.many":   {"%s earlier steps are not shown.", "%s passos anteriores foram omitidos."},
	"corrected.one":  {"%s correction", "%s carta de correção"},
	"corrected.many": {"%s corrections", "%s cartas de correção"},

	"invoices":        {"Invoices", "Notas fiscais"},
	"invoices.none":   {"No invoice yet.", "Nenhuma nota ainda."},
	"invoices.filter": {"No invoice matches this filter.", "Nenhuma nota com esse filtro."},
	"filter.state":    {"Filter by state", "Filtrar por situação"},
	"filter.model":    {"Filter by model", "Filtrar por modelo"},
	"states.all":      {"All states", "Todas as situações"},
	"models.all":      {"All models", "Todos os modelos"},
	"invoice":         {"Invoice", "Nota"},
	"state":           {"State", "Situação"},
	"number":          {"Number", "Número"},
	"number.none":     {"no number yet", "ainda sem número"},
	"number.alone":    {"number %s", "número %s"},
	"number.series":   {"series %s, number %s", "série %s, número %s"},
	"cure":            {"What to do:", "O que fazer:"},
	"ids":             {"IDs", "IDs"},
	"integration":     {"Integration ID", "ID de integração"},
	"receiver":        {"Receiver", "Destinatário"},
	"amount":          {"Amount", "Valor"},
	"issuer":          {"Issuer", "Emitente"},
	"changed":         {"Last change", "Última mudança"},
	"issued":          {"Issued", "Emissão"},
	"protocol":        {"Protocol", "Protocolo"},
	"access.key":      {"Access key", "Chave de acesso"},
	"environment":     {"Environment", "Ambiente"},
	"model":           {"Model", "Modelo"},
	"history":         {"History", "Histórico"},
	"back":            {"All invoices", "Todas as notas"},
	"back.to":         {"Back to the invoice", "Voltar à nota"},
	"gone":            {"This invoice no longer exists.", "Esta nota não existe mais."},
	"document":        {"Printed document", "Documento impresso"},
	"document.none":   {"This invoice does not exist.", "Esta nota não existe."},
	"document.not": {
		"Only an authorized invoice has a document and an XML.",
		"Somente uma nota autorizada tem documento e XML.",
	},
	"download": {"Download", "Baixar"},
	"print":    {"Print", "Imprimir"},

	"orders":       {"Orders", "Pedidos"},
	"orders.none":  {"No order yet.", "Nenhum pedido ainda."},
	"order":        {"Order", "Pedido"},
	"order.no":     {"no transaction ID", "sem ID de transação"},
	"customer":     {"Customer", "Cliente"},
	"issue.mode":   {"Invoices issued", "Emissão"},
	"customers":    {"Customers", "Clientes"}, //nolint:misspell // Portuguese.
	"customers.no": {"No customer yet.", "Nenhum cliente ainda."},
	"city":         {"City", "Cidade"},
	"email":        {"E-mail", "E-mail"},
	"products":     {"Products", "Produtos"},
	"products.no":  {"No product yet.", "Nenhum produto ainda."},
	"product":      {"Product", "Produto"},
	"code":         {"Code", "Código"},
	"price":        {"Price", "Preço"},

	"companies": {"Companies", "Empresas"},
	"companies.newest": {
		"The main company first, then the newest. The buttons do what the service's back office does.",
		"Primeiro a empresa principal, depois as mais recentes. Os botões fazem o papel do painel do serviço.",
	},
	"companies.none": {"No company.", "Nenhuma empresa."},
	"company":        {"Company", "Empresa"},
	"company.main":   {"main company", "empresa principal"},
	"tax.number":     {"CNPJ or CPF", "CNPJ ou CPF"},
	"key":            {"API key", "Chave de API"},
	"key.new":        {"New key", "Nova chave"},
	"key.asks": {
		"The current key of %s stops working at once. Create a new key?",
		"A chave atual de %s deixa de funcionar na hora. Gerar uma nova?",
	},
	"key.says":           {"The new key of %s, shown only here:", "A nova chave de %s, mostrada somente aqui:"},
	"certificates":       {"Certificates", "Certificados"},
	"certificate.active": {"active", "ativo"},
	"certificate.old":    {"replaced", "substituído"},
	"certificate.until":  {"until", "até"},
	"activate":           {"Activate", "Ativar"},
	"activate.says":      {"Active again: %s", "Reativado: %s"},
	"settings":           {"Settings", "Configurações"},
	"field":              {"Field", "Campo"},
	"value":              {"Value", "Valor"},

	"webhooks":         {"Webhooks", "Webhooks"},
	"webhooks.none":    {"No webhook yet.", "Nenhum webhook ainda."},
	"webhooks.signed":  {"Deliveries are signed with the secret", "As entregas são assinadas com o segredo"},
	"webhooks.both":    {"and with the previous one too, until", "e também com o anterior, até"},
	"webhooks.past":    {"the previous one stopped signing at", "o anterior deixou de assinar em"},
	"event":            {"Event", "Evento"},
	"url":              {"Address", "Endereço"},
	"enabled":          {"enabled", "ativo"},
	"disabled":         {"disabled", "desativado"},
	"deliveries":       {"Webhook deliveries", "Entregas de webhooks"},
	"deliveries.short": {"Deliveries", "Entregas"},
	"deliveries.none":  {"No delivery yet.", "Nenhuma entrega ainda."},
	"deliveries.checked": {
		"Each row shows the last attempt. Signatures are checked with the current secrets of the account.",
		"Cada linha mostra a última tentativa. As assinaturas são conferidas com os segredos atuais da conta.",
	},
	"signature": {"Signature", "Assinatura"},
	"tries":     {"Attempts", "Tentativas"},
	"last.try":  {"Last attempt", "Última tentativa"},
	"answered":  {"answered %s", "respondeu %s"},
	"no.answer": {"no answer", "sem resposta"},
	"not.sent": {
		"not sent: the address is not on this machine",
		"o endereço não é desta máquina",
	},
	"address.no":  {"not a valid URL", "URL inválida"},
	"limit":       {"Rate limit", "Limite de requisições"},
	"limit.short": {"Limit", "Limite"},
	"limit.off":   {"The rate limit is off.", "O limite de requisições está desligado."},
	"limit.each": {
		"Each key may send %s requests per minute and %s per second.",
		"Cada chave pode fazer %s requisições por minuto e %s por segundo.",
	},
	"limit.use":     {"Use by key, the busiest first.", "Uso por chave, a mais usada primeiro."},
	"limit.none":    {"No key has been used yet.", "Nenhuma chave foi usada ainda."},
	"limit.meter":   {"Requests of %s in this window", "Requisições de %s nesta janela"},
	"limit.of":      {"%s of %s", "%s de %s"},
	"limit.nobody":  {"unknown", "desconhecido"},
	"limit.unknown": {"not a key of this account", "não é desta conta"},
	"key.of":        {"Key of", "Chave de"},
	"key.unknown":   {"unknown key", "chave desconhecida"},
	"window":        {"This window", "Nesta janela"},
	"second":        {"This second", "Neste segundo"},
	"ends":          {"Ends", "Termina"},
	"requests":      {"Requests", "Requisições"},
	"requests.none": {"No request yet.", "Nenhuma requisição ainda."},
	"requests.about": {
		"Requests that name this invoice, its integration ID or its order. Newest first.",
		"Requisições que citam esta nota, o ID de integração ou o pedido dela. Mais recentes primeiro.",
	},
	"requests.newest": {
		"Newest first, without query and body.",
		"Mais recentes primeiro, sem parâmetros nem corpo.",
	},
	"requests.filter":         {"Filter requests", "Filtrar requisições"},
	"requests.all":            {"All", "Todas"},
	"requests.refused":        {"Refused", "Recusadas"},
	"requests.changes":        {"Changes only", "Só alterações"},
	"request":                 {"Request", "Requisição"},
	"request.body":            {"Body", "Corpo"},
	"status":                  {"Status", "Status"},
	"time":                    {"Time", "Hora"},
	"environment.development": {"development (homologação)", "homologação"},
	"environment.production":  {"production", "produção"},
	"environment.simulation":  {"simulation", "simulação"},
	"environment.0":           {"not set", "não definido"},

	"state.created":      {"created", "rascunho"},
	"state.enqueued":     {"enqueued", "na fila"},
	"state.received":     {"received", "recebida"},
	"state.authorized":   {"authorized", "autorizada"},
	"state.inContingent": {"inContingent", "em contingência"},
	"state.rejected":     {"rejected", "rejeitada"},
	"state.denied":       {"denied", "denegada"},
	"state.canceled":     {"canceled", "cancelada"},
	"state.removed":      {"removed", "removida"},
	"state.disabled":     {"disabled", "inutilizada"},

	"order.created":         {"created", "criado"},
	"order.awaitingPayment": {"awaitingPayment", "aguardando pagamento"},
	"order.approved":        {"approved", "aprovado"},
	"order.refundRequested": {"refundRequested", "reembolso solicitado"},
	"order.completed":       {"completed", "concluído"},
	"order.chargeback":      {"chargeback", "contestado"},
	"order.canceled":        {"canceled", "cancelado"},
	"order.refunded":        {"refunded", "reembolsado"},
	"order.expired":         {"expired", "vencido"},
	"order.refused":         {"refused", "recusado"},
	"order.deleted":         {"deleted", "excluído"},

	"mode.immediately":   {"at once", "na hora"},
	"mode.afterPayment":  {"after payment", "após o pagamento"},
	"mode.afterWarrency": {"after the warranty", "após a garantia"},
	"mode.disabled":      {"on request", "quando solicitada"},

	"delivery.pending":   {"pending", "pendente"},
	"delivery.succeeded": {"succeeded", "entregue"},
	"delivery.failed":    {"failed", "falhou"},
	"delivery.skipped":   {"skipped", "não enviada"},

	"signature.both":    {"valid: current secret and the previous one", "válida: segredo atual e o anterior"},
	"signature.current": {"valid: current secret", "válida: segredo atual"},
	"signature.window": {
		"valid: previous secret, in its rotation window",
		"válida: segredo anterior, na janela de rotação",
	},
	"signature.expired": {"previous secret, no longer valid", "segredo anterior, que não vale mais"},
	"signature.none": {
		"matches no current secret of the account",
		"não corresponde a nenhum segredo atual da conta",
	},
	"signature.untimed": {"no timestamp", "sem data e hora"},
}
