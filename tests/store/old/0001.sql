BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0001');
CREATE TABLE generation (
	id INTEGER NOT NULL, 
	session_id TEXT NOT NULL, 
	content_hash TEXT NOT NULL, 
	prompt_hash TEXT NOT NULL, 
	is_exact BOOLEAN NOT NULL, 
	prefill TEXT NOT NULL, 
	sampling JSON NOT NULL, 
	tool_choice TEXT NOT NULL, 
	finish_reason TEXT NOT NULL, 
	prompt_tokens INTEGER NOT NULL, 
	cached_tokens INTEGER NOT NULL, 
	completion_tokens INTEGER NOT NULL, 
	time_to_first_token_s FLOAT NOT NULL, 
	seconds FLOAT NOT NULL, 
	engine_name TEXT NOT NULL, 
	engine_fingerprint TEXT NOT NULL, 
	tools_fingerprint TEXT NOT NULL, 
	CONSTRAINT pk_generation PRIMARY KEY (id), 
	CONSTRAINT uq_generation_session_id_content_hash UNIQUE (session_id, content_hash), 
	CONSTRAINT fk_generation_session_id FOREIGN KEY(session_id) REFERENCES session (id), 
	CONSTRAINT fk_generation_prompt_hash FOREIGN KEY(prompt_hash) REFERENCES prompt (hash)
);
INSERT INTO "generation" VALUES(1,'id00','5ca8d4209e3a3230d9e18d673b64ceb172d22185a13235f12e33f9e42491f848','b257d9a2189729d9eeb90d16adf1244aef07b64e6c4d9e38beb98bc1e4fd0529',1,'<tool_call>
','{"temperature": 0.30000000000000004, "top_p": 0.95, "top_k": 40, "min_p": 0.05, "repeat_penalty": 1.0, "seed": 0, "max_tokens": 256}','now','length',40,20,9,0.1,3.33333333333333314829e-01,'embedded','eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee','ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff');
INSERT INTO "generation" VALUES(2,'id00','2c6b19622a6eb733b9ebbcefada199bf2894f9bd4e1f723e8ad6f71f4efe8e2d','b257d9a2189729d9eeb90d16adf1244aef07b64e6c4d9e38beb98bc1e4fd0529',1,'<tool_call>
','{"temperature": 0.30000000000000004, "top_p": 0.95, "top_k": 40, "min_p": 0.05, "repeat_penalty": 1.0, "seed": 0, "max_tokens": 256}','now','length',40,20,9,0.1,3.33333333333333314829e-01,'embedded','eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee','ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff');
INSERT INTO "generation" VALUES(3,'id00','cbcfb7c2eeae5ddca4100fd54076db998bd3ae1e442b485cb20f33efdf1b0541','13a53c911b1b2e2ed0601a54138cf406df70214c0af8084ef9f4e59c7814b0b3',1,'<tool_call>
','{"temperature": 0.30000000000000004, "top_p": 0.95, "top_k": 40, "min_p": 0.05, "repeat_penalty": 1.0, "seed": 0, "max_tokens": 256}','now','length',40,20,9,0.1,3.33333333333333314829e-01,'embedded','eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee','ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff');
CREATE TABLE message (
	id TEXT NOT NULL, 
	session_id TEXT NOT NULL, 
	parent_id TEXT, 
	position INTEGER NOT NULL, 
	role TEXT NOT NULL, 
	origin TEXT NOT NULL, 
	text TEXT NOT NULL, 
	calls JSON NOT NULL, 
	thought TEXT, 
	name TEXT, 
	created_at DATETIME NOT NULL, 
	generation_id INTEGER, 
	CONSTRAINT pk_message PRIMARY KEY (id), 
	CONSTRAINT uq_message_session_id_id UNIQUE (session_id, id), 
	CONSTRAINT fk_message_session_id FOREIGN KEY(session_id) REFERENCES session (id), 
	CONSTRAINT fk_message_session_id_parent_id FOREIGN KEY(session_id, parent_id) REFERENCES message (session_id, id), 
	CONSTRAINT fk_message_generation_id FOREIGN KEY(generation_id) REFERENCES generation (id)
);
INSERT INTO "message" VALUES('id01','id00',NULL,0,'system','person','You call tools.
','[]',NULL,NULL,'2026-11-20 08:00:01.000000',NULL);
INSERT INTO "message" VALUES('id02','id00','id01',1,'user','person','  What is the weather in Cairo? 🦉
','[]',NULL,NULL,'2026-11-20 08:00:02.000000',NULL);
INSERT INTO "message" VALUES('id03','id00','id02',2,'assistant','model','<tool_call>
{"name": "get_weather", "arguments": {"city": "cairo",}}
</tool_call>','[]',NULL,NULL,'2026-11-20 08:00:03.000000',1);
INSERT INTO "message" VALUES('id04','id00','id03',3,'tool','mock','31 degrees','[]',NULL,'now','2026-11-20 08:00:04.000000',NULL);
INSERT INTO "message" VALUES('id05','id00','id04',4,'assistant','model','It is 31 degrees.','[]',NULL,NULL,'2026-11-20 08:00:05.000000',2);
INSERT INTO "message" VALUES('id06','id00',NULL,0,'system','person','You call tools, always.','[]',NULL,NULL,'2026-11-20 08:00:06.000000',NULL);
INSERT INTO "message" VALUES('id07','id00','id06',1,'user','person','  What is the weather in Cairo? 🦉
','[]',NULL,NULL,'2026-11-20 08:00:07.000000',NULL);
INSERT INTO "message" VALUES('id08','id00','id07',2,'assistant','model','<tool_call>
{"name": "get_weather", "arguments": {"city": "cairo",}}
</tool_call>','[]',NULL,NULL,'2026-11-20 08:00:08.000000',1);
INSERT INTO "message" VALUES('id09','id00','id08',3,'tool','mock','31 degrees','[]',NULL,'now','2026-11-20 08:00:09.000000',NULL);
INSERT INTO "message" VALUES('id10','id00','id09',4,'assistant','model','It is 31 degrees.','[]',NULL,NULL,'2026-11-20 08:00:10.000000',2);
INSERT INTO "message" VALUES('id11','id00','id10',5,'user','person','And tomorrow?','[]',NULL,NULL,'2026-11-20 08:00:11.000000',NULL);
INSERT INTO "message" VALUES('id12','id00','id11',6,'assistant','model','<tool_call>
nonsense
</tool_call>','[]',NULL,NULL,'2026-11-20 08:00:12.000000',3);
INSERT INTO "message" VALUES('id14','id13',NULL,0,'assistant','import','','[{"name": "now", "arguments": {"z": 1, "big": 1180591620717411303424, "a": [null, 1.5]}}]','hm',NULL,'2026-11-20 08:00:14.000000',NULL);
INSERT INTO "message" VALUES('id15','id13',NULL,0,'user','person','a﻿ ''";--','[]',NULL,NULL,'2026-11-20 08:00:15.000000',NULL);
CREATE TABLE prompt (
	hash TEXT NOT NULL, 
	text TEXT NOT NULL, 
	CONSTRAINT pk_prompt PRIMARY KEY (hash)
);
INSERT INTO "prompt" VALUES('b257d9a2189729d9eeb90d16adf1244aef07b64e6c4d9e38beb98bc1e4fd0529','<|im_start|>user
hi<|im_end|>
<|im_start|>assistant
');
INSERT INTO "prompt" VALUES('13a53c911b1b2e2ed0601a54138cf406df70214c0af8084ef9f4e59c7814b0b3','another prompt');
CREATE TABLE session (
	id TEXT NOT NULL, 
	owner TEXT, 
	title TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	updated_at DATETIME NOT NULL, 
	setup JSON NOT NULL, 
	leaf_id TEXT, 
	CONSTRAINT pk_session PRIMARY KEY (id)
);
INSERT INTO "session" VALUES('id00',NULL,'What is the weather in Cairo? 🦉','2026-11-20 08:00:00.000000','2026-11-20 08:00:12.000000','{"contract_name": "minimal", "contract_text": "---\nname: minimal\n---\n  {{ tools }}\r\n\ud83e\udd89", "tools_text": "[{\"type\": \"function\", \"function\": {\"name\": \"get_weather\", \"parameters\": {\"type\": \"object\", \"properties\": {\"city\": {\"type\": \"string\"}}}}}]", "disabled_tools": [], "model": "scripted:tests/x.yaml", "tool_choice": "required", "sampling": {"temperature": 0.7, "top_p": 0.95, "top_k": 40, "min_p": 0.05, "repeat_penalty": 1.0, "seed": 1099511627776, "max_tokens": 256}, "max_rounds": 3}','id12');
INSERT INTO "session" VALUES('id13',NULL,'a﻿ ''";--','2026-11-20 08:00:13.000000','2026-11-20 08:00:15.000000','{"contract_name": "minimal", "contract_text": "---\nname: minimal\n---\n  {{ tools }}\r\n\ud83e\udd89", "tools_text": "[{\"type\": \"function\", \"function\": {\"name\": \"now\"}}]", "disabled_tools": ["now", "then"], "model": "scripted:tests/x.yaml", "tool_choice": "required", "sampling": {"temperature": 0.7, "top_p": 0.95, "top_k": 40, "min_p": 0.05, "repeat_penalty": 1.0, "seed": 1099511627776, "max_tokens": 256}, "max_rounds": 3}','id15');
INSERT INTO "session" VALUES('id16',NULL,'','2026-11-20 08:00:16.000000','2026-11-20 08:00:16.000000','{"contract_name": "minimal", "contract_text": "---\nname: minimal\n---\n  {{ tools }}\r\n\ud83e\udd89", "tools_text": "[{\"type\": \"function\", \"function\": {\"name\": \"now\"}}]", "disabled_tools": ["now", "then"], "model": "scripted:tests/x.yaml", "tool_choice": "required", "sampling": {"temperature": 0.7, "top_p": 0.95, "top_k": 40, "min_p": 0.05, "repeat_penalty": 1.0, "seed": 1099511627776, "max_tokens": 256}, "max_rounds": 3}',NULL);
CREATE TABLE tool_run (
	message_id TEXT NOT NULL, 
	call_index INTEGER NOT NULL, 
	is_error BOOLEAN NOT NULL, 
	milliseconds FLOAT NOT NULL, 
	rule TEXT, 
	CONSTRAINT pk_tool_run PRIMARY KEY (message_id), 
	CONSTRAINT fk_tool_run_message_id FOREIGN KEY(message_id) REFERENCES message (id)
);
INSERT INTO "tool_run" VALUES('id04',1,1,1.1,'mock rule 2');
INSERT INTO "tool_run" VALUES('id09',1,1,1.1,'mock rule 2');
CREATE INDEX ix_session_updated_at ON session (updated_at);
COMMIT;
