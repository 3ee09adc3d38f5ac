"""What words of German, French, Spanish, Italian, Portuguese and Dutch are in English, a row each.

An English word, and behind each bar the words of one language for it, in this order. See ``tongues``.
"""

TELLING = """
who|wer wen wem|qui|quién quiénes||quem|
whose|wessen|||||wiens
where|wo wohin woher|où|dónde adónde||onde|waar
when|wann|quand|cuándo|quando|quando|wanneer
which|welche welcher welches welchem welchen|quel quelle quels quelles|cuál cuáles|quale quali|qual quais|welke welk
what|wovon womit woraus|quoi|qué|cosa||
how|||cómo|||
many|wieviele wieviel|combien|cuántos cuántas|quanti quante|quantos quantas|hoeveel
give|gib gebt nenne|donnez donne||dammi||geef noem
me|mir|moi||||
all||tous toutes|todos todas|tutti tutte|todos todas|
king|könig|roi|rey||rei|koning
queen|königin|reine|reina|regina|rainha|koningin
president|präsident|président|presidente|presidente|presidente|
mayor|bürgermeister|maire|alcalde|sindaco|prefeito|burgemeester
governor|gouverneur|gouverneur|gobernador|governatore|governador|gouverneur
museum||musée|||museu|
inhabitants|einwohner bewohner|habitants|habitantes|abitanti|habitantes|inwoners
crosses|überquert|traversé|cruza atraviesa|attraversa|atravessa|
height|höhe|hauteur|altura|altezza|altura|hoogte
length|länge|longueur|longitud|lunghezza|comprimento|lengte
depth|tiefe|profondeur|profundidad|profondità|profundidade|diepte
high|hoch|haut haute||||hoog
deep||profond profonde|profundo profunda|profondo profonda||diep
runtime|laufzeit|durée|duración|durata|duração|
famous|berühmt|célèbre|famoso famosa|famoso famosa|famoso famosa|beroemd
exhibited|ausgestellt|exposé|expuesto|esposto|exposto|tentoongesteld
moons||||lune|luas|manen
author|autor autorin|auteur auteurs|autor autora|autore autori|autor autora|auteur schrijver
director|regisseur|réalisateur réalisatrice|directora|regista|diretor|regisseur
actor|schauspieler darsteller|acteur acteurs|actriz actores|attore attori|ator atores|acteur
founder|gründer gründerin|fondateur fondatrice|fundador fundadora|fondatore fondatrice|fundador fundadora|oprichter
inventor|erfinder|inventeur||inventore||uitvinder
manufacturer|hersteller|fabricant|fabricante|produttore|fabricante|fabrikant
owner|besitzer eigentümer|propriétaire|propietario dueño|proprietario|proprietário dono|eigenaar
employer|arbeitgeber|employeur|empleador|datore|empregador|werkgever
employee|mitarbeiter angestellte|employé employés|empleado empleados|dipendente dipendenti|funcionário|werknemer
boss|vorgesetzter||jefe jefa||chefe|baas
leader|leiter leiterin|dirigeant|líder||líder|leider
spouse|ehepartner gatte|conjoint conjointe époux|cónyuge esposo|coniuge|cônjuge|echtgenoot
wife|ehefrau|épouse|esposa|moglie|esposa|vrouw echtgenote
husband|ehemann|mari|marido|marito|marido|
father|vater|père|padre|padre|pai|vader
mother||mère|madre|madre|mãe|moeder
parent|eltern elternteil||progenitores|genitore genitori|genitores|ouders ouder
child|kinder|enfant enfants|hijos|figli|filhos|kinderen
son|sohn söhne|fils|hijo|figlio|filho|zoon
daughter|tochter töchter|fille filles|hija hijas|figlia figlie|filha filhas|dochter
brother|bruder brüder|frère frères|hermano hermanos|fratello fratelli|irmão irmãos|broer
sister|schwester schwestern|sœur soeur sœurs|hermana hermanas|sorella sorelle|irmã irmãs|zus
sibling|geschwister|||||
birthplace|geburtsort geburtsstadt||||naturalidade|geboorteplaats
birthdate|geburtsdatum geburtstag geburtsjahr|anniversaire||compleanno|aniversário|geboortedatum verjaardag
deathplace|sterbeort todesort|||||
deathdate|sterbedatum todestag todesjahr|||||
birth||naissance|nacimiento|nascita|nascimento|geboorte
death|tod|décès|muerte fallecimiento|morte decesso|óbito falecimento|dood overlijden
date|datum||fecha|||datum
place|ort||lugar|luogo||plaats
year|jahr jahre|année années|año años|anno anni|ano anos|jaar
capital|hauptstadt hauptstädte|capitale||capitale||hoofdstad
country|staat staaten staates|états|país países estados|paese paesi|país países|
city|stadt städte städten|ville villes|ciudad ciudades|città|cidade cidades|stad
language|sprache sprachen|langue langues|idioma idiomas lengua|lingua lingue|idioma língua|taal talen
currency|währung|monnaie|moneda|valuta moneta|moeda|valuta munt
population|einwohnerzahl bevölkerung bevölkerungszahl||población|popolazione|população|bevolking
color|farbe farben|couleur couleurs|colores|colore colori||kleur
member|mitglied mitglieder|membre membres|miembro miembros|membro membri|membro membros|leden
team|mannschaft verein|équipe|equipo|squadra|equipe equipa|ploeg
company|firma unternehmen|entreprise société|empresa|azienda|empresa|bedrijf
department|abteilung|||||afdeling
school|schule||escuela|scuola|escola|
university|universität hochschule|université|universidad|università|universidade|universiteit
occupation|beruf|métier|profesión ocupación|professione|profissão|beroep
religion|||religión|religione|religião|
nationality|staatsangehörigkeit nationalität|nationalité|nacionalidad|nazionalità|nacionalidade|nationaliteit
award|auszeichnung|récompense|premio premios|premio premi|prêmio prémio|prijs
song|lieder|chanson chansons|canción canciones|canzone canzoni|canção|liedje
book|buch bücher|livre livres|libro libros|libro libri|livro livros|boek boeken
film|filme||película películas||filme filmes|
composer|komponist|compositeur|compositor|compositore|compositor|componist
singer|sänger sängerin|chanteur chanteuse|cantante|cantante||zanger
publisher|verlag herausgeber|éditeur édition||editore editrice|editora|uitgever uitgeverij
successor|nachfolger|successeur|sucesor|successore|sucessor|opvolger
predecessor|vorgänger|prédécesseur|predecesor|predecessore||voorganger
born|geboren|né née|nació nacido nacida|nata nacque|nasceu|
died|gestorben starb|décédé|murió falleció|morto morì|morreu faleceu|overleden stierf
written|geschrieben|écrit||scritto|escrito|geschreven
wrote|schrieb||escribió|scrisse|escreveu|schreef
directed|regie|réalisé|dirigió|diretto|dirigiu|geregisseerd
founded|gegründet gründete|fondé|fundó|fondato fondò|fundou|opgericht
invented|erfunden erfand|inventé|inventó|inventato|inventou|uitgevonden
discovered|entdeckt entdeckte|découvert|descubrió|scoperto|descobriu|ontdekt
made|hergestellt|fabriqué|hizo|fatto|fez|gemaakt
composed|komponiert|composé|compuso|composto|compôs|gecomponeerd
painted|gemalt malte|peint|pintó|dipinto dipinse|pintou|geschilderd
built|gebaut erbaut|construit|construyó|costruito|construiu|gebouwd
married|verheiratet|épousé marié mariée|casado casada|sposato sposata|casou|getrouwd
located|liegt befindet gelegen|trouve situé située|ubicado encuentra|situato situata trova|localizado fica|ligt
lives|wohnt lebt|habite vit|vive|abita|mora|woont
works|arbeitet|travaille|trabaja|lavora|trabalha|werkt
plays|spielt spielen|joue jouent|juega|gioca recitano|joga|speelt spelen
speaks|spricht|parle|habla|parla|fala|spreekt
spoken|gesprochen|parlé|hablado|parlato|falado|gesproken
owns|besitzt gehört|possède appartient|posee pertenece|possiede appartiene|possui pertence|bezit
leads|leitet führt|dirige|dirige|dirige|dirige|leidt
manufactures|herstellt stellt produziert|fabrique|fabrica|fabbrica|fabrica|fabriceert
belongs||||||behoort
published|veröffentlicht herausgebracht|publié|publicó publicado|pubblicato|publicou publicado|uitgegeven
created|erschaffen geschaffen|créé créée|creó creado|creato creata|criou criado|
produced|produziert|produit|produjo producido|prodotto|produziu|geproduceerd
filmed|gedreht|tourné|rodó rodado|girato|filmado|gefilmd
sings|singt|chante|canta|canta|canta|zingt
employed|angestellt beschäftigt|emploie|emplea|impiegato impiegata|emprega|werkzaam
borders|grenzt grenzen angrenzt angrenzen|frontière frontalier frontaliers|frontera|confina|fronteira|grenst
borders|grenzende grenzenden angrenzende angrenzenden|||||
neighbour|nachbarland nachbarn|voisin voisins|vecino vecinos|vicino vicini|vizinho vizinhos|buurland buren
flows|mündet fließt fließen|jette coule|desemboca|sfocia|deságua|mondt stroomt
ingredient|zutat zutaten|ingrédient ingrédients|ingrediente ingredientes|ingrediente ingredienti|ingrediente|ingrediënt
stadium|stadion|stade|estadio|stadio|estádio|stadion
headquarters|firmensitz hauptsitz zentrale hauptquartier|siège|sede|sede|sede|hoofdkantoor hoofdkwartier
subsidiary|tochtergesellschaft|filiale filiales||filiale|subsidiária|dochteronderneming
supplier|lieferant|fournisseur|proveedor|fornitore fornitori|fornecedor|leverancier
coach||entraîneur|entrenador|allenatore|treinador|
manager|geschäftsführer|directeur directrice|gerente|amministratore|gerente|bestuurder
dish|gericht|||piatto|prato|gerecht
studied|studierte studiert|étudié|estudió|studiato|estudou|gestudeerd
depends|hängt|dépend|depende|dipende|depende|hangt
needs|braucht benötigt|besoin|necesita||precisa|nodig
won|gewonnen gewann|gagné remporté|ganó|vinto|ganhou|
star|hauptdarsteller hauptrolle||protagonista|protagonista|protagonista|hoofdrolspeler
music|musik|musique|música|musica musiche|música|muziek
river|fluss flüsse flüssen|fleuve rivière|río|fiume||rivier
region||région|región|regione|região|
customer|kunde kunden||cliente clientes|cliente clienti|cliente clientes|klant klanten
project|projekt|projet|proyecto|progetto|projeto|
price|preis||precio|prezzo|preço|
responsible|verantwortlich zuständig|responsable|responsable|responsabile|responsável|verantwoordelijk
coaches|trainiert|entraîne|entrena|allena|treina|traint
filming|drehort|||||
largest|größte größten größter größtes|||||grootste
smallest|kleinste kleinsten kleinster kleinstes|||||kleinste
longest|längste längsten längster längstes|||||langste
shortest|kürzeste kürzesten kürzester kürzestes|||||kortste
highest|höchste höchsten höchster höchstes höchstgelegene|||||hoogste
lowest|niedrigste niedrigsten niedrigster niedrigstes tiefste tiefsten|||||laagste
lowest|tiefster tiefstes tiefstgelegene tiefstgelegenen tiefstgelegener tiefstgelegenes|||||
oldest|älteste ältesten ältester ältestes|||||oudste
newest|neueste neuesten neuester neuestes jüngste jüngsten jüngster jüngstes|||||nieuwste jongste
most|meisten|||||meeste
fewest|wenigsten|||||minste
major|wichtige wichtigen wichtiger wichtiges wichtigste wichtigsten wichtigster wichtigstes|||||belangrijkste
large|groß großen großer großes|||||groot grote
people|leute menschen|gens|gente|gente|pessoas|mensen
live|wohnen leben|habitent vivent|viven|abitano vivono|vivem moram|wonen leven
mountain|berg berge|montagne montagnes|montaña montañas|montagna montagne|montanha montanhas|bergen
lake||lac lacs|lago lagos|lago laghi|lago lagos|
point|punkt punkte|||punto punti|ponto pontos|punt
area|fläche|superficie|superficie|superficie|superfície|oppervlakte
density|bevölkerungsdichte dichte|densité|densidad|densità|densidade|dichtheid
through|durch|||attraverso|através|
runs|verläuft verlaufen|||||
crosses|durchfließt durchfließen|||||
supplies|liefert|fournit|suministra|fornisce|fornece|levert
"""
"""Words that no English text has; ``WITHIN`` has those that many have."""

WITHIN = """
the|der die das den dem des|le la les l|el la los las|il lo la i gli le l|o a os as|de het
the|ein eine einer eines einem einen|un une|un una|un uno una|um uma|een
itself|sich es|se t il elle ce|se su|si|se|zich
of|von vom|de du des d|de del|di del della dei delle dello degli dell d|de do da dos das|van
in|in im ins|dans en au aux à|en al a|in nel nella nei a|em no na nos nas|in te
to|zu zum zur nach|vers|hacia|verso|para|naar
from|aus|depuis|desde|da dal dalla|desde|uit
with|mit|avec|con|con|com|met
for|für|pour|para por|per|por|voor
by||par|por|da|pelo pela|door
at|bei beim||en|presso||bij
on|auf an am|sur|sobre|su sul sulla|sobre|op
and|und|et|y e|e ed|e|en
or|oder|ou|o u|o|ou|
is|ist wird heißt heisst lautet|est|es está|è|é está|is wordt heet
are|sind werden heißen lauten gibt|sont|son están|sono|são estão|zijn worden
was|war wurde|était fut|fue era|fu era|foi era|was werd
were|waren wurden|étaient furent|fueron eran|furono erano|foram eram|waren werden
has|hat haben hatte|a ont avait|ha han tiene tienen|ha hanno|tem|heeft hebben had
what|was wie|que qu|qué|che|que|wat
who|||quien quienes|chi||wie
where|||donde|dove||
when|||cuando|||
many|viele viel|||||veel
all|alle aller|||||alle
museum|||museo|museo||
high|||alto alta|alto alta|alto alta|
long|lang||largo larga|lungo lunga|longo|lang
first|erste ersten|premier|primero|primo|primeiro|eerste
moons|monde||lunas|||
king||||re||
give|||dame dime||liste|
crosses||traverse||||
his|sein seine ihr ihre|son sa ses leur|sus|suo sua|seu sua|zijn
that|dass|que|que|che|que|dat
how||||||hoe
boss|chef|chef||capo||
mother|mutter|||||
sea|meer|mer|mar|mare|mar|zee
price||prix||||
dish|||plato|||
subsidiary|||filial|||
coach|trainer trainerin|||||trainer
place||lieu||||
country|land|pays||||land
member||||||lid
publisher||edition|editorial|||
song|lied|||||
born||||nato||
died||mort||||
cause|ursache||causa|causa|causa|
man|mann|homme|hombre|uomo|homem|
woman|frau|femme|mujer|donna|mulher|
name||nom|nombre|nome|nome|naam
"""
