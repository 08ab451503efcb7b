package page

import "fmt"

// Language is a language that the page speaks.
type Language int

// The languages of the page, in the order of the texts.
const (
	English Language = iota
	Portuguese
)

// languages are their tags in the address, each with the tag of the markup.
var languages = [...]struct{ Tag, Markup, Name string }{{"en", "en", "English"}, {"pt", "pt-BR", "Português"}}

// say is a text in a language. What is missing is a mistake in the page, which its tests find.
func (l Language) say(key string, args ...any) (string, error) {
	text, ok := texts[key]
	if !ok {
		return "", fmt.Errorf("no text is called %s", key)
	}
	if len(args) == 0 {
		return text[l], nil
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

// word is the text of a word of the service, such as a state; one that is not known is shown as it is.
func (l Language) word(kind, word string) string {
	if text, ok := texts[kind+"."+word]; ok {
		return text[l]
	}
	return word
}

// texts are all that the page says, in the order of Language.
var texts = map[string][2]string{
	"title":          {"Sandbox of the invoicing service", "Sandbox do serviço de notas fiscais"},
	"skip":           {"Skip to the content", "Ir para o conteúdo"},
	"intro":          {"An account in memory. Nothing here has any fiscal value. Looking changes nothing and counts in no limit; keys and secrets are hidden.", "Uma conta em memória. Nada aqui tem valor fiscal. Olhar não altera nada e não conta em nenhum limite; chaves e segredos ficam ocultos."},
	"address":        {"Address", "Endereço"},
	"language":       {"Language", "Idioma"},
	"noscript":       {"Without scripts this page does not follow by itself, and has no search field.", "Sem scripts esta página não se atualiza sozinha e não tem campo de busca."},
	"reload.offer":   {"Reload it every %d seconds", "Recarregar a cada %d segundos"},
	"reload.stop":    {"Stop reloading it every %d seconds", "Parar de recarregar a cada %d segundos"},
	"pause":          {"Pause updates", "Pausar atualização"},
	"resume":         {"Resume updates", "Retomar atualização"},
	"live":           {"Live.", "Ao vivo."},
	"paused":         {"Paused.", "Pausada."},
	"lost":           {"The sandbox does not answer; trying again.", "O sandbox não responde; tentando de novo."},
	"refused":        {"The sandbox refused that.", "O sandbox recusou isso."},
	"parts":          {"Parts of the page", "Partes da página"},
	"search":         {"Search", "Buscar"},
	"search.hint":    {"Search (press /)", "Buscar (tecle /)"},
	"found.one":      {"%d result for", "%d resultado para"},
	"found.many":     {"%d results for", "%d resultados para"},
	"found.nothing":  {"Nothing has", "Nada contém"},
	"copy":           {"Copy", "Copiar"},
	"copied":         {"Copied", "Copiado"},
	"copied.not":     {"The browser does not let this page copy.", "O navegador não deixa esta página copiar."},
	"as.of":          {"As of", "Situação em"},
	"gone.with":      {"What the account holds is gone when the program ends.", "O que a conta guarda some quando o programa termina."},
	"newest":         {"Newest first.", "Da mais recente à mais antiga."},
	"more":           {"The newest %d are shown; %d more are not.", "São mostrados os %d mais recentes; há mais %d."},
	"fold.all":       {"Show all %d", "Mostrar todos os %d"},
	"fold.fewer":     {"Show fewer", "Mostrar menos"},
	"none":           {"none", "nenhum"},
	"not.set":        {"not set", "não definido"},
	"summary.none":   {"No invoice yet.", "Nenhuma nota ainda."},
	"summary.part":   {"%d %s", "%[2]s %[1]d"},
	"invoices.one":   {"%d invoice", "%d nota"},
	"invoices.many":  {"%d invoices", "%d notas"},
	"earlier.one":    {"%d earlier step is left out.", "%d passo anterior foi omitido."},
	"earlier.many":   {"%d earlier steps are left out.", "%d passos anteriores foram omitidos."},
	"corrected.one":  {"%d correction", "%d carta de correção"},
	"corrected.many": {"%d corrections", "%d cartas de correção"},

	"invoices":        {"Invoices", "Notas fiscais"},
	"invoices.none":   {"No invoice yet.", "Nenhuma nota ainda."},
	"invoices.filter": {"No invoice is like that.", "Nenhuma nota com esse filtro."},
	"filter.state":    {"Filter by state", "Filtrar por situação"},
	"filter.model":    {"Filter by model", "Filtrar por modelo"},
	"filter.all":      {"All", "Todas"},
	"invoice":         {"Invoice", "Nota"},
	"state":           {"State", "Situação"},
	"number":          {"Number", "Número"},
	"number.none":     {"no number yet", "ainda sem número"},
	"integration":     {"Integration ID", "ID de integração"},
	"integration.no":  {"no integration id", "sem ID de integração"},
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
	"gone":            {"There is no such invoice any more.", "Esta nota não existe mais."},
	"document":        {"Printed document", "Documento impresso"},
	"document.none":   {"There is no such invoice.", "Esta nota não existe."},
	"xml.none":        {"There is no XML before the authorization.", "Não há XML antes da autorização."},
	"download":        {"Download", "Baixar"},
	"print":           {"Print", "Imprimir"},

	"orders":       {"Orders", "Pedidos"},
	"orders.none":  {"No order yet.", "Nenhum pedido ainda."},
	"order":        {"Order", "Pedido"},
	"order.no":     {"no transaction id", "sem ID de transação"},
	"customer":     {"Customer", "Cliente"},
	"issue.mode":   {"Issues", "Emissão"},
	"customers":    {"Customers", "Clientes"}, //nolint:misspell // Portuguese.
	"customers.no": {"No customer yet.", "Nenhum cliente ainda."},
	"city":         {"City", "Cidade"},
	"email":        {"E-mail", "E-mail"},
	"products":     {"Products", "Produtos"},
	"products.no":  {"No product yet.", "Nenhum produto ainda."},
	"product":      {"Product", "Produto"},
	"code":         {"Code", "Código"},
	"price":        {"Price", "Preço"},

	"companies":          {"Companies", "Empresas"},
	"companies.newest":   {"The main company, then the newest. The buttons do what a person does in the back office of the service.", "A matriz, depois as mais recentes. Os botões fazem o que uma pessoa faz no painel do serviço."},
	"companies.none":     {"No company is left.", "Não resta nenhuma empresa."},
	"company":            {"Company", "Empresa"},
	"company.main":       {"main company", "empresa principal"},
	"tax.number":         {"CNPJ or CPF", "CNPJ ou CPF"},
	"key":                {"API key", "Chave de API"},
	"key.new":            {"New key", "Nova chave"},
	"key.asks":           {"The key of %s stops working at once. Make a new one?", "A chave de %s para de funcionar na hora. Gerar uma nova?"},
	"key.says":           {"The new key of %s, shown only here:", "A nova chave de %s, mostrada só aqui:"},
	"certificates":       {"Certificates", "Certificados"},
	"certificate.active": {"active", "ativo"},
	"certificate.old":    {"replaced", "substituído"},
	"certificate.until":  {"until", "até"},
	"activate":           {"Activate", "Ativar"},
	"activate.says":      {"Active again: %s", "Reativado: %s"},
	"settings":           {"Settings", "Configurações"},
	"field":              {"Field", "Campo"},
	"value":              {"Value", "Valor"},

	"webhooks":                {"Webhooks", "Webhooks"},
	"webhooks.none":           {"No webhook yet.", "Nenhum webhook ainda."},
	"webhooks.signed":         {"Deliveries are signed with the secret", "As entregas são assinadas com o segredo"},
	"webhooks.both":           {"and with the previous one too, until", "e também com o anterior, até"},
	"webhooks.past":           {"the previous one has not signed since", "o anterior não assina desde"},
	"event":                   {"Event", "Evento"},
	"url":                     {"Address", "Endereço"},
	"enabled":                 {"enabled", "ativo"},
	"disabled":                {"disabled", "desativado"},
	"deliveries":              {"Webhook deliveries", "Entregas de webhooks"},
	"deliveries.short":        {"Deliveries", "Entregas"},
	"deliveries.none":         {"Nothing was delivered yet.", "Nada foi entregue ainda."},
	"deliveries.checked":      {"Each with its last try. The signature is checked over what was sent, with the secrets the account has now.", "Cada uma com sua última tentativa. A assinatura é conferida sobre o que foi enviado, com os segredos atuais da conta."},
	"signature":               {"Signature", "Assinatura"},
	"tries":                   {"Tries", "Tentativas"},
	"last.try":                {"Last try", "Última tentativa"},
	"answered":                {"answered %d", "respondeu %d"},
	"no.answer":               {"no answer", "sem resposta"},
	"not.sent":                {"not sent: the address is not on loopback", "não enviada: o endereço não é desta máquina"},
	"address.no":              {"an address that is no URL", "um endereço que não é uma URL"},
	"limit":                   {"Rate limit", "Limite de requisições"},
	"limit.off":               {"The rate limit is off.", "O limite de requisições está desligado."},
	"limit.each":              {"Each key may make %d requests in 1m and %d in a second.", "Cada chave pode fazer %d requisições em 1 min e %d em um segundo."},
	"limit.use":               {"Use by key, the busiest first.", "Uso por chave, a mais usada primeiro."},
	"limit.none":              {"No key was used yet.", "Nenhuma chave foi usada ainda."},
	"limit.meter":             {"Requests of %s in this window", "Requisições de %s nesta janela"},
	"limit.of":                {"%d of %d", "%d de %d"},
	"limit.nobody":            {"nobody", "ninguém"},
	"limit.unknown":           {"none of the account", "nenhuma da conta"},
	"key.of":                  {"Key of", "Chave de"},
	"key.unknown":             {"no known key", "chave desconhecida"},
	"window":                  {"This window", "Nesta janela"},
	"second":                  {"This second", "Neste segundo"},
	"ends":                    {"Ends", "Termina"},
	"requests":                {"Requests", "Requisições"},
	"requests.none":           {"No request yet.", "Nenhuma requisição ainda."},
	"requests.about":          {"Those that name this invoice, its integration id or its order, newest first.", "As que citam esta nota, seu ID de integração ou seu pedido, da mais recente à mais antiga."},
	"requests.newest":         {"Newest first, without query and body.", "Da mais recente à mais antiga, sem consulta nem corpo."},
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
	"mode.disabled":      {"by request", "quando solicitada"},

	"delivery.pending":   {"pending", "pendente"},
	"delivery.succeeded": {"succeeded", "entregue"},
	"delivery.failed":    {"failed", "falhou"},
	"delivery.skipped":   {"skipped", "não enviada"},

	"signature.both":    {"valid: secret in force, and the previous one", "válida: segredo atual e o anterior"},
	"signature.current": {"valid: secret in force", "válida: segredo atual"},
	"signature.window":  {"valid: previous secret, in its rotation window", "válida: segredo anterior, na janela de rotação"},
	"signature.expired": {"previous secret, no longer valid", "segredo anterior, já não vale"},
	"signature.none":    {"matches no secret that the account has now", "não confere com nenhum segredo atual da conta"},
	"signature.untimed": {"no timestamp", "sem data e hora"},
}
